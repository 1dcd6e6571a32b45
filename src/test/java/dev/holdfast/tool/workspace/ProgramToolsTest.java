package dev.holdfast.tool.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolReply.Outcome;
import dev.holdfast.tool.sandbox.Bubblewrap;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.tool.sandbox.Sandbox;
import dev.holdfast.tool.sandbox.SandboxMode;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The tools for programs and patches")
@Timeout(120)
class ProgramToolsTest {
  @TempDir Path temp;
  private Path root;
  private ToolBench bench;

  @BeforeEach
  void setUp() throws IOException {
    root = Files.createDirectory(temp.resolve("work"));
    bench = ToolBench.of(root);
  }

  private String run(String command) throws InterruptedException {
    return bench.text("run_command", Map.of("command", command));
  }

  @Test
  @DisplayName("run_command takes a line of shell or words, and shows exit code and both outputs")
  void runs() throws Exception {
    assertThat(run("echo out; echo err >&2; pwd; exit 3"))
        .isEqualTo("exit code 3\nout\nerr\n" + root.toRealPath());
    assertThat(bench.text("run_command", Map.of("command", List.of("echo", "a b", "$HOME"))))
        .isEqualTo("exit code 0\na b $HOME");
    assertThat(run("kill -9 $$")).startsWith("exit code 137: killed by signal 9 (SIGKILL)");
    assertThat(run("cat")).isEqualTo("exit code 0\n[it printed nothing]");
    ToolReply missing = bench.call("run_command", Map.of("command", List.of("no-such-program")));
    assertThat(missing.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(missing.content()).contains("no such program");
  }

  @Test
  @DisplayName("B7: a program that ends with another exit code than 0 is a call that failed")
  void failedProgram() throws Exception {
    ToolReply failed = bench.call("run_command", Map.of("command", "echo 1 test failed; exit 1"));
    assertThat(failed.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(failed.content()).isEqualTo("exit code 1\n1 test failed");
    assertThat(bench.call("run_command", Map.of("command", "exit 0")).outcome())
        .isEqualTo(Outcome.OK);
  }

  @Test
  @DisplayName("C20: Command timed out after N seconds...; C38: it is not run again")
  void timesOut() throws Exception {
    ToolReply reply =
        bench.call(
            "run_command",
            Map.of("command", "echo started; sleep 1000 & sleep 1000", "timeout_seconds", 1));
    assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(reply.content()).startsWith("Command timed out after 1 seconds").endsWith("started");
    assertThat(reply.executions()).isEqualTo(1);
  }

  @Test
  @DisplayName("What a program leaves running is killed, in other sessions too")
  void killsTheTree() throws Exception {
    run(
        "(setsid sh -c 'echo $$ > child.pid; exec sleep 1000' &) ; "
            + "while [ ! -s child.pid ]; do sleep 0.01; done");
    long pid = Long.parseLong(Files.readString(root.resolve("child.pid")).strip());
    // It has been told to die; on a busy machine that takes its time.
    await().until(() -> !isAlive(pid));
  }

  @Test
  @DisplayName("C13: an interrupt kills the program before it comes out")
  void interrupted() throws Exception {
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    run("echo $$ > it.pid; exec sleep 1000");
                  } catch (InterruptedException e) {
                    end.set(e);
                  }
                });
    Path file = root.resolve("it.pid");
    await().until(() -> Files.exists(file) && Files.size(file) > 1);
    long pid = Long.parseLong(Files.readString(file).strip());
    caller.interrupt();
    caller.join();
    assertThat(end.get()).isInstanceOf(InterruptedException.class);
    assertThat(isAlive(pid)).isFalse();
  }

  @Test
  @DisplayName("100 MB of output leave the beginning and the end; binary output is made storable")
  void floods() throws Exception {
    String flood = run("echo begin; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end");
    assertThat(flood)
        .hasSizeLessThan(33 * 1024)
        .contains("begin")
        .contains("of 100000011 bytes cut here")
        .endsWith("end");
    String binary = run("head -c 5000 /dev/urandom; printf '\\0'");
    assertThat(binary).doesNotContain("\0");
    assertThat(new String(binary.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(binary);
  }

  @Test
  @DisplayName("A program gets none of the worker's secrets")
  void noSecrets() throws Exception {
    assertThat(run("env")).contains("PATH=").doesNotContain("sk-very-secret");
  }

  @Test
  @DisplayName("apply_patch changes and makes files; what does not fit changes nothing")
  void patches() throws Exception {
    Files.writeString(root.resolve("a.txt"), "one\ntwo\n");
    String good =
        """
        diff --git a/a.txt b/a.txt
        --- a/a.txt
        +++ b/a.txt
        @@ -1,2 +1,2 @@
        -one
        +ONE
         two
        diff --git a/sub/n.txt b/sub/n.txt
        new file mode 100644
        --- /dev/null
        +++ b/sub/n.txt
        @@ -0,0 +1 @@
        +new\
        """;
    assertThat(bench.text("apply_patch", Map.of("patch", good)))
        .contains("2 lines added, 1 removed in a.txt, sub/n.txt");
    assertThat(root.resolve("a.txt")).hasContent("ONE\ntwo\n");
    assertThat(root.resolve("sub/n.txt")).hasContent("new\n");

    ToolReply again = bench.call("apply_patch", Map.of("patch", good));
    assertThat(again.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(again.content()).contains("nothing was changed").contains("patch does not apply");
    assertThat(bench.call("apply_patch", Map.of("patch", "garbage")).outcome())
        .isEqualTo(Outcome.MODEL_RETRY);
  }

  @Test
  @DisplayName("C20: apply_patch writes neither through .. nor through a link nor into .git")
  void patchesStayInside() throws Exception {
    Path outside = Files.createDirectory(temp.resolve("outside"));
    Files.createDirectories(root.resolve(".git/hooks"));
    Files.createSymbolicLink(root.resolve("out"), outside);
    for (String path : List.of("../outside/x", "out/x", ".git/hooks/pre-commit")) {
      String patch = "--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+x\n";
      assertThat(bench.call("apply_patch", Map.of("patch", patch)).outcome())
          .as(path)
          .isEqualTo(Outcome.MODEL_RETRY);
    }
    assertThat(outside).isEmptyDirectory();
    assertThat(root.resolve(".git/hooks")).isEmptyDirectory();
  }

  @Test
  @DisplayName("Where bubblewrap works, programs write to the workspace and nowhere else")
  void confined() throws Exception {
    Sandbox sandbox =
        Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of(temp.resolve("hidden")))
            .get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap (bwrap) is installed and works");
    Files.createDirectory(temp.resolve("hidden"));
    Files.writeString(temp.resolve("hidden/key"), "secret");
    bench = ToolBench.of(root, sandbox, System::nanoTime);
    String outside = temp.resolve("x").toString();
    assertThat(run("echo a > in.txt; cat in.txt; echo b > " + outside + "; echo c > /etc/x"))
        .contains("exit code")
        .contains("a\n");
    assertThat(root.resolve("in.txt")).hasContent("a\n");
    assertThat(temp.resolve("x")).doesNotExist();
    assertThat(Path.of("/etc/x")).doesNotExist();
    assertThat(run("cat " + temp.resolve("hidden/key"))).doesNotContain("secret");
    String worker = "/proc/" + ProcessHandle.current().pid() + "/environ";
    assertThat(run("cat " + worker + " | tr '\\0' '\\n'")).doesNotContain("PATH=");
    assertThat(bench.box().specs().toString()).contains("confined by bubblewrap");
  }

  @Test
  @DisplayName("Without bubblewrap the model is told that nothing is confined")
  void notConfined() throws Exception {
    Sandbox none =
        Sandboxes.of(SandboxMode.AUTO, Map.of("PATH", "/nonexistent"), List.of()).get(Network.NONE);
    assertThat(none).isEqualTo(new Sandbox.None("bubblewrap (bwrap) is not installed"));
    bench = ToolBench.of(root, none, System::nanoTime);
    assertThat(bench.box().specs().toString()).contains("Programs are not confined");
  }

  @Test
  @DisplayName("A confined program's tree is killed at its timeout")
  void confinedTimeout() throws Exception {
    Sandbox sandbox = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of()).get(Network.NONE);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap (bwrap) is installed and works");
    bench = ToolBench.of(root, sandbox, System::nanoTime);
    String mark = "sleep 98765" + System.nanoTime() % 1000;
    ToolReply reply =
        bench.call(
            "run_command",
            Map.of("command", "(setsid " + mark + " &); " + mark, "timeout_seconds", 1));
    assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(
            ProcessHandle.allProcesses()
                .map(each -> each.info().commandLine().orElse(""))
                .filter(line -> line.contains(mark)))
        .isEmpty();
  }

  /** A zombie, which nobody has waited for yet, is not alive. */
  private static boolean isAlive(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return !stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z");
    } catch (IOException e) {
      return false;
    }
  }
}
