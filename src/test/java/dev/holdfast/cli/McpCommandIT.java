package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.app.Main;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to {@code holdfast mcp}, a process of its own, through the SDK's own client. */
@Order(1) // it waits long
@WithDatabase
@Timeout(120)
@Tag("slow") // its programs speak English in every setup
class McpCommandIT {
  private static final String OPERATOR = "the-secret-of-ann-alone";
  private static final String VIEWER = "a-secret-of-a-viewer";

  private final TestDatabase testDatabase;
  private final TicketDatabase database;
  private final TestQueue queue;

  McpCommandIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
  }

  private McpSyncClient client(String token) {
    Map<String, String> environment = new HashMap<>(Cli.on(testDatabase).environment());
    environment.put("HOLDFAST_WEB_TOKENS", "operator/ann:" + OPERATOR + ",viewer:" + VIEWER);
    environment.put("HOLDFAST_MCP_TOKEN", token);
    ServerParameters program =
        ServerParameters.builder(JavaCommand.path("java"))
            .args(
                "-XX:TieredStopAtLevel=1",
                "-Dfile.encoding=UTF-8",
                "-Dstdout.encoding=UTF-8",
                "-cp",
                classPath(),
                Main.class.getName(),
                "mcp")
            .env(environment)
            .build();
    McpSyncClient client =
        McpClient.sync(new StdioClientTransport(program, McpJsonDefaults.getMapper()))
            .requestTimeout(Duration.ofSeconds(60))
            .initializationTimeout(Duration.ofSeconds(60))
            .build();
    client.initialize();
    return client;
  }

  /** Of this test, however it was started. */
  private static String classPath() {
    if (Main.class.getClassLoader() instanceof URLClassLoader loader) {
      return Arrays.stream(loader.getURLs())
          .map(URL::getPath)
          .collect(Collectors.joining(File.pathSeparator));
    }
    return System.getProperty("java.class.path");
  }

  private static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> input) {
    return client.callTool(CallToolRequest.builder(tool).arguments(input).build());
  }

  private static String text(CallToolResult result) {
    return ((TextContent) result.content().getFirst()).text();
  }

  private static JsonNode json(CallToolResult result) {
    assertThat(result.isError()).as(text(result)).isFalse();
    return new JsonMapper().readTree(text(result));
  }

  @Test
  @DisplayName("who decides over MCP has a name, as with the commands")
  void nameless() {
    Cli.Result result = Cli.on(testDatabase).run("mcp", "--by", " ");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("--by must not be empty");
  }

  @Test
  @DisplayName("an assistant finds a held ticket, shows it, classifies its error and releases it")
  void triage() {
    long id = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'test', 'Grüße, who knows?')", id);
    try (McpSyncClient client = client(OPERATOR)) {
      assertThat(client.listTools().tools().stream().map(Tool::name))
          .containsExactlyInAnyOrder(
              "list_tickets",
              "show_ticket",
              "classify_error",
              "release_ticket",
              "answer_ticket",
              "reject_ticket");
      JsonNode held = json(call(client, "list_tickets", Map.of("state", "on_hold")));
      assertThat(held.get(0).get("id").asLong()).isEqualTo(id);
      JsonNode shown = json(call(client, "show_ticket", Map.of("id", id)));
      assertThat(shown.get("hold_reason").asString()).isEqualTo("Grüße, who knows?");
      assertThat(shown.get("timeline")).isNotEmpty();
      assertThat(
              json(call(client, "classify_error", Map.of("text", "HTTP 429 too many requests")))
                  .get("category")
                  .asString())
          .isEqualTo("transient");

      JsonNode released =
          json(call(client, "release_ticket", Map.of("id", id, "guidance", "it is üben")));
      assertThat(released.get("state").asString()).isEqualTo("ready");
      assertThat(
              database.column(
                  "SELECT actor FROM holdfast.ticket_activity WHERE action = 'released'"))
          .containsExactly("ann via mcp");
      assertThat(database.column("SELECT guidance FROM holdfast.ticket_guidance"))
          .containsExactly("it is üben");

      CallToolResult again = call(client, "release_ticket", Map.of("id", id));
      assertThat(again.isError()).isTrue();
      assertThat(text(again)).contains("ann via mcp").contains("ready");
      queue.succeed(id, queue.claim());
      assertThat(call(client, "reject_ticket", Map.of("id", id, "feedback", " ")).isError())
          .isTrue();
      assertThat(
              json(call(client, "reject_ticket", Map.of("id", id, "feedback", "no")))
                  .get("state")
                  .asString())
          .isEqualTo("ready");
      badInput(client);
    }
  }

  private static void badInput(McpSyncClient client) {
    for (Map<String, Object> input :
        List.<Map<String, Object>>of(
            Map.of("id", 987654321L),
            Map.of("id", "seven"),
            Map.of(),
            Map.of("id", 1, "colour", "red"))) {
      assertThat(call(client, "show_ticket", input).isError()).as("%s", input).isTrue();
    }
    for (Map<String, Object> filter :
        List.<Map<String, Object>>of(Map.of("state", "lost"), Map.of("fingerprint", "abc"))) {
      assertThat(call(client, "list_tickets", filter).isError()).as("%s", filter).isTrue();
    }
    // An integer, says JSON Schema, and so some clients write it.
    assertThat(call(client, "list_tickets", Map.of("limit", 1.0)).isError()).isFalse();
    assertThat(call(client, "list_tickets", Map.of("limit", 1.5)).isError()).isTrue();
  }

  @Test
  @DisplayName(
      "with a viewer's token an assistant only reads; with none or a wrong one it does not start")
  void viewer() {
    try (McpSyncClient client = client(VIEWER)) {
      assertThat(client.listTools().tools().stream().map(Tool::name))
          .containsExactlyInAnyOrder("list_tickets", "show_ticket", "classify_error");
    }
    Map<String, String> environment = new HashMap<>(Cli.on(testDatabase).environment());
    environment.put("HOLDFAST_WEB_TOKENS", "viewer:" + VIEWER);
    Cli.Result none = new Cli(environment, Path.of("no-such-directory")).run("mcp");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("HOLDFAST_MCP_TOKEN");
    environment.put("HOLDFAST_MCP_TOKEN", OPERATOR);
    Cli.Result wrong = new Cli(environment, Path.of("no-such-directory")).run("mcp");
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("mcp.token").doesNotContain(OPERATOR);
  }

  @Test
  @DisplayName(
      "a line that is no message is answered with an error, an empty one with nothing; the session"
          + " goes on, and ends with its input")
  void noMessage() throws Exception {
    PipedInputStream read = new PipedInputStream(1 << 20);
    PipedOutputStream write = new PipedOutputStream();
    Terminal terminal =
        new Terminal(
            new PrintWriter(new PipedOutputStream(read), false, StandardCharsets.UTF_8),
            new PrintWriter(new StringWriter()),
            new PipedInputStream(write, 1 << 16),
            InstantSource.system());
    Cli cli = Cli.on(testDatabase);
    CompletableFuture<Integer> code =
        CompletableFuture.supplyAsync(
            () -> Main.run(terminal, cli.environment(), cli.directory(), "mcp"),
            Thread::startVirtualThread);
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(read, StandardCharsets.UTF_8))) {
      send(
          write,
          """
          {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
          "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
          """);
      assertThat(next(out, code).at("/result/serverInfo/name").asString()).isEqualTo("holdfast");
      send(write, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
      send(write, "\n \r\nnot json\n[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]\n{}\n7\n");
      for (int error : List.of(-32700, -32600, -32600, -32600)) {
        JsonNode answer = next(out, code);
        assertThat(answer.at("/error/code").asInt()).as("%s", answer).isEqualTo(error);
        assertThat(answer.get("id").isNull()).isTrue();
      }
      byte[] tooLong = new byte[(16 << 20) + 1];
      Arrays.fill(tooLong, (byte) 'x');
      write.write(tooLong);
      send(write, "\n{\"jsonrpc\":\"2.0\",\r\"id\":3,\"method\":\"tools/list\"}\r\n");
      assertThat(next(out, code).at("/error/code").asInt()).isEqualTo(-32600);
      assertThat(next(out, code).at("/result/tools").isEmpty()).isFalse();
      send(write, "cut off");
      write.close();
      assertThat(next(out, code).at("/error/code").asInt()).isEqualTo(-32700);
      assertThat(code.get(60, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  @DisplayName("what was asked before the input ended is done and answered, also out of a file")
  void inputEnds() {
    long id = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'test', 'why?')", id);
    String requests =
        """
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
        "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
        {"jsonrpc":"2.0","method":"notifications/initialized"}
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"release_ticket",\
        "arguments":{"id":%s}}}
        {"jsonrpc":"2.0","id":"three","method":"tools/list"}
        {"jsonrpc":"2.0","id":4,"method":"no/such"}
        """
            .formatted(id);

    Cli.Result result = Cli.on(testDatabase).runWithInput(requests, "mcp");

    assertThat(result.code()).isZero();
    assertThat(result.out().lines().map(each -> new JsonMapper().readTree(each).get("id")))
        .extracting(JsonNode::asString)
        .containsExactlyInAnyOrder("1", "2", "three", "4");
    assertThat(database.column("SELECT state FROM holdfast.tickets WHERE id = " + id))
        .containsExactly("ready");
  }

  private static void send(PipedOutputStream to, String lines) throws IOException {
    to.write(lines.getBytes(StandardCharsets.UTF_8));
    to.flush();
  }

  private static JsonNode next(BufferedReader out, CompletableFuture<Integer> code)
      throws IOException {
    String line = out.readLine();
    assertThat(line).as("ended: %s", code).isNotNull();
    return new JsonMapper().readTree(line);
  }

  @Test
  @DisplayName("holdfast token makes an entry for web.tokens that has only the hash")
  void token() {
    Cli cli = Cli.withoutDatabase();
    JsonNode made = cli.run("token", "--name", "ann", "--json").json();
    String entry = made.get("entry").asString();
    assertThat(entry).matches("operator/ann:sha256:[0-9a-f]{64}");
    String token = made.get("token").asString();
    assertThat(cli.runWithInput(token + "\n", "token", "--stdin", "--viewer").out())
        .contains("viewer:" + entry.substring(entry.indexOf("sha256:")))
        .doesNotContain(token);
    assertThat(cli.run("token").out()).isNotEqualTo(cli.run("token").out());
    assertThat(cli.runWithInput("short\n", "token", "--stdin").code()).isEqualTo(2);
    assertThat(cli.run("token", "--name", "a b").code()).isEqualTo(2);
  }
}
