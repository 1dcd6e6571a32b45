package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first five minutes, in an empty directory. */
@Tag("slow")
class DemoIT {
  private static final Pattern RELEASE_THIS =
      Pattern.compile("(?m)^  holdfast release (\\d+) --guidance 'use the color green'");
  private static final Pattern PSQL =
      Pattern.compile("look at the tables: (PGPASSWORD=.*) psql (postgresql://\\S+)\\R");

  @TempDir private Path directory;
  @AutoClose private Installation holdfast;

  @BeforeEach
  void prepare() {
    holdfast = new Installation(directory);
  }

  private static void assertEnded(HoldfastProcess demo) throws InterruptedException {
    Outcome outcome = demo.awaitOutcome();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.stderr()).isEmpty();
    assertThat(outcome.stdout().strip().lines().toList().getLast())
        .isEqualTo("The demo has ended; its data stays in .holdfast.");
  }

  @Test
  @DisplayName(
      "a demo that is to end by itself ends at once when it is told to, with one line and no error")
  void endedEarly() throws Exception {
    HoldfastProcess demo = holdfast.start("demo", "--exit-when-done");
    demo.awaitOutput(Pattern.compile("#\\d+ +guided +failed"));
    demo.signal("TERM");
    assertEnded(demo);
  }

  @Test
  @DisplayName(
      "a worker with a database of its own says how psql gets into it, and tells the password"
          + " nobody who only reads its output")
  void psqlOfEmbedded() throws Exception {
    HoldfastProcess worker = holdfast.start("worker", "--embedded", "--port", "0");
    MatchResult line = worker.awaitOutput(PSQL);
    Process shell =
        new ProcessBuilder("sh", "-c", line.group(1) + "; echo $PGPASSWORD")
            .directory(directory.toFile())
            .start();
    String password = new String(shell.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(line.group()).doesNotContain(password);
    holdfast.with("HOLDFAST_DATABASE_URL", line.group(2).replace("@", ":" + password + "@"));
    assertThat(holdfast.ok("list", "--json")).isEqualTo("[]");
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: the password of a worker's own database and the token of its start come out"
          + " of no job, wherever the database is")
  void secretsOfEmbedded() throws Exception {
    String data = directory.resolve("elsewhere").toString();
    holdfast.start("worker", "--embedded=" + data, "--port", "0").awaitConsole();
    Files.writeString(
        directory.resolve("spy.yaml"),
        "{kind: command, review: none, command: [sh, -c, 'cat %s/password %s/.holdfast/token']}"
            .formatted(data, directory));
    holdfast.ok("design", "put", "spy", "--file", "spy.yaml");
    String id = holdfast.ok("enqueue", "--design", "spy");
    await("the worker has worked it")
        .until(() -> holdfast.ok("show", id, "--json").contains("\"state\":\"done\""));
    assertThat(holdfast.ok("show", id, "--json"))
        .contains("[redacted:database.password]", "[redacted:local-token]");
  }

  @Test
  @DisplayName("a demo beside a worker with a database of its own says that it uses that one")
  void besideWorker() throws Exception {
    HoldfastProcess worker = holdfast.start("worker", "--embedded", "--port", "0");
    worker.awaitOutput(PSQL);
    HoldfastProcess demo = holdfast.start("demo");
    demo.awaitOutput(
        Pattern.compile(
            "PostgreSQL: using the embedded server that runs in \\S+; what the demo adds stays in"
                + " it"));
  }

  @Test
  @DisplayName("a second worker goes on when the one with the database has been started again")
  void databaseRestarted() throws Exception {
    String[] owner = {"worker", "--embedded", "--port", "0", "--queue", "none"};
    HoldfastProcess first = holdfast.start(owner);
    first.awaitOutput(PSQL);
    Files.writeString(
        directory.resolve("hello.yaml"), "{kind: command, review: none, command: [echo, '1']}");
    holdfast.ok("design", "put", "hello", "--file", "hello.yaml");
    holdfast.worker();

    first.signal("TERM");
    first.awaitOutcome();
    holdfast.start(owner).awaitOutput(PSQL);

    String id = holdfast.ok("enqueue", "--design", "hello");
    await("the second worker has worked it")
        .until(() -> holdfast.ok("show", id, "--json").contains("\"state\":\"done\""));
  }

  @Test
  @DisplayName(
      "demo runs the samples while a second terminal looks at them and releases one, without a"
          + " database URL; it ends with 0, keeps its data, and --exit-when-done ends by itself")
  void demo() throws Exception {
    Outcome nothing = holdfast.run("list");
    assertThat(nothing.exit()).isEqualTo(4);
    assertThat(nothing.stderr()).hasLineCount(1).contains("holdfast demo");

    HoldfastProcess demo = holdfast.start("demo");
    String id = demo.awaitOutput(RELEASE_THIS).group(1);
    assertThat(holdfast.ok("list", "--state", "on_hold")).contains("\n" + id + " ");
    assertThat(holdfast.ok("show", id)).contains("Max retries exceeded: unknown");
    assertThat(holdfast.ok("release", id, "--guidance", "use the color green"))
        .isEqualTo("released #" + id);
    await("the released ticket is done")
        .until(() -> holdfast.ok("list", "--state", "done").contains("\n" + id + " "));
    assertThat(holdfast.ok("show", id)).contains("{\"color\": \"green\"}", "released");

    demo.signal("TERM");
    assertEnded(demo);
    assertThat(holdfast.run("list").exit()).as("nothing is left running").isEqualTo(4);

    Outcome again = holdfast.run("demo", "--exit-when-done");
    assertThat(again.exit()).isZero();
    assertThat(again.stderr()).isEmpty();
    assertThat(again.stdout())
        .contains("on_hold: Max retries exceeded: system_error")
        .containsPattern("agent +attempt 1 succeeded")
        .contains("its model only plays a script")
        .doesNotContain("in another terminal", "psql '", " show ");
    try (Stream<Path> workspaces = Files.list(directory.resolve(".holdfast/agents"))) {
      assertThat(workspaces)
          .as("one for each demo, with the script that the agent has mended")
          .hasSize(2)
          .allSatisfy(
              each ->
                  assertThat(each.resolve("total.sh")).content().contains("sum=$((sum + amount))"));
    }
  }

  @Test
  @DisplayName("demo asks nothing of a configured database, also not to hear of new tickets")
  void configuredDatabase() throws Exception {
    try (ServerSocket configured = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "postgres://ann:secret@127.0.0.1:" + configured.getLocalPort() + "/jobs";
      holdfast.with("HOLDFAST_DATABASE_URL", url);
      holdfast.with("HOLDFAST_DATABASE_LISTEN_URL", url);
      Outcome outcome = holdfast.run("demo", "--exit-when-done");
      assertThat(outcome.exit()).as(outcome.toString()).isZero();
      assertThat(outcome.stderr()).hasLineCount(1).contains("is not touched");
      configured.setSoTimeout(1);
      assertThatThrownBy(configured::accept)
          .as("nobody has connected")
          .isInstanceOf(SocketTimeoutException.class);
    }
  }
}
