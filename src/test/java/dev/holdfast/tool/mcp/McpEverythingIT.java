package dev.holdfast.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.tool.ParallelToolBox;
import dev.holdfast.tool.TimeLeft;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.tool.sandbox.SandboxMode;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The MCP project's own server, which has everything")
@Tag("slow")
@Timeout(300)
class McpEverythingIT {
  private static final Path HOME = Path.of("target/mcp-everything").toAbsolutePath();
  private static final Path SERVER = Path.of("node_modules/.bin/mcp-server-everything");
  private static final String PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31";

  @BeforeAll
  static void install() throws Exception {
    boolean hasNpm =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "npm")));
    assumeTrue(hasNpm, "npm is on this machine");
    if (!Files.exists(HOME.resolve(SERVER))) {
      Files.createDirectories(HOME);
      npm(
          "install",
          "--prefer-offline",
          "--no-audit",
          "--no-fund",
          "--prefix",
          HOME.toString(),
          PACKAGE);
    }
  }

  private static void npm(String... words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(Stream.concat(Stream.of("npm"), Stream.of(words)).toList())
            .directory(HOME.toFile())
            .redirectErrorStream(true)
            .start();
    // Its own end of the pipe: npm makes a stdin that it inherits unreadable for everybody else.
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assumeTrue(process.waitFor() == 0, "npm can reach its registry: " + output);
  }

  @TempDir private Path workspace;

  @Test
  @DisplayName("Its tools are listed with what they say of themselves, and answer")
  void everything() throws Exception {
    // A confined server sees its workspace; the checkout may be where it sees nothing.
    Process copy =
        new ProcessBuilder(
                "cp", "-a", HOME.resolve("node_modules").toString(), workspace.toString())
            .inheritIO()
            .start();
    assertThat(copy.waitFor()).isZero();
    McpServerSpec spec =
        new McpServerSpec.Stdio(
            List.of("node", workspace.resolve(SERVER).toString(), "stdio"),
            Map.of(),
            Optional.of(Network.NONE));
    McpServers servers =
        McpServers.open(
            Map.of("everything", spec),
            System.getenv(),
            Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of()),
            workspace,
            McpSettings.defaults());
    try (ParallelToolBox box =
        new ParallelToolBox(
            servers.tools(),
            ToolSettings.defaults(),
            time -> {},
            () -> 0,
            TimeLeft.UNBOUNDED,
            List.of(servers))) {
      assertThat(box.specs())
          .extracting(each -> each.name())
          .contains("mcp__everything__echo", "mcp__everything__get-sum");
      assertThat(box.isIdempotent("mcp__everything__echo")).isTrue();
      List<ToolReply> replies =
          box.run(
              List.of(
                  call("get-sum", "{\"a\": 2, \"b\": 3}"),
                  call("echo", "{\"message\": \"grüße\"}"),
                  call("get-tiny-image", "{}"),
                  call("get-structured-content", "{\"location\": \"Chicago\"}"),
                  call("get-sum", "{\"a\": \"two\"}")));
      assertThat(replies.get(0).content()).isEqualTo("The sum of 2 and 3 is 5.");
      assertThat(replies.get(1).content()).contains("grüße");
      assertThat(replies.get(2).content()).contains("[an image, image/png");
      assertThat(replies.get(3).content()).contains("temperature");
      assertThat(replies.get(4).outcome()).isEqualTo(ToolReply.Outcome.MODEL_RETRY);
    }
  }

  private static ToolCall call(String tool, String arguments) {
    return new ToolCall(tool, "mcp__everything__" + tool, arguments);
  }
}
