package dev.holdfast.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker with a database of its own, which is not where the next one would look for it. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddedWorkerIT {
  private static final Pattern PSQL =
      Pattern.compile("look at the tables: (PGPASSWORD=.*) psql (postgresql://\\S+)\\R");

  private Path directory;
  private Path data;
  private HoldfastProcess owner;
  @AutoClose private Installation holdfast;

  @BeforeAll
  void prepare(@TempDir Path temporary) throws Exception {
    directory = temporary;
    data = directory.resolve("elsewhere");
    holdfast = new Installation(directory);
    start();
  }

  /** It leaves what belongs to no test to whoever works the queue default. */
  private void start() throws Exception {
    owner = holdfast.start("worker", "--embedded=" + data, "--port", "0", "--queue", "owner");
    owner.awaitConsole();
  }

  /** With its database, which would outlive a killed one. */
  @AfterAll
  void stop() throws Exception {
    owner.signal("TERM");
    owner.awaitOutcome();
  }

  private TicketRows rows() {
    return new TicketRows(
        OwnServer.dataSource(EmbeddedServer.running(directory.resolve(".holdfast")).orElseThrow()));
  }

  private void design(String name, String command) throws Exception {
    Files.writeString(
        directory.resolve("design.yaml"),
        "{kind: command, review: none, command: [sh, -c, '" + command + "']}");
    holdfast.ok("design", "put", name, "--file", "design.yaml");
  }

  @Test
  @DisplayName(
      "a worker with a database of its own says how psql gets into it, and tells the password"
          + " nobody who only reads its output")
  void psql() throws Exception {
    MatchResult line = owner.awaitOutput(PSQL);
    Process shell =
        new ProcessBuilder("sh", "-c", line.group(1) + "; echo $PGPASSWORD")
            .directory(directory.toFile())
            .start();
    String password = new String(shell.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(line.group()).doesNotContain(password);
    Installation stranger = new Installation(Files.createDirectory(directory.resolve("stranger")));
    stranger.with("HOLDFAST_DATABASE_URL", line.group(2).replace("@", ":" + password + "@"));
    assertThat(stranger.ok("list", "--queue", "psql", "--json")).isEqualTo("[]");
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: the password of a worker's own database and the token of its start come out"
          + " of no job, wherever the database is")
  void secrets() throws Exception {
    design("spy", "cat %s/password %s/.holdfast/token".formatted(data, directory));
    String id = holdfast.ok("enqueue", "--design", "spy", "--queue", "owner");
    rows().awaitState(Long.parseLong(id), "done");
    assertThat(holdfast.ok("show", id, "--json"))
        .contains("[redacted:database.password]", "[redacted:local-token]");
  }

  @Test
  @DisplayName("a demo beside a worker with a database of its own says that it uses that one")
  void besideDemo() throws Exception {
    try (HoldfastProcess demo = holdfast.start("demo")) {
      demo.awaitOutput(
          Pattern.compile(
              "PostgreSQL: using the embedded server that runs in \\S+; what the demo adds stays in"
                  + " it"));
    }
  }

  @Test
  @DisplayName("a second worker goes on when the one with the database has been started again")
  void startedAgain() throws Exception {
    design("hello", "echo 1");
    try (HoldfastProcess second = holdfast.worker("--queue", "hello")) {
      stop();
      start();
      String id = holdfast.ok("enqueue", "--design", "hello", "--queue", "hello");
      rows().awaitState(Long.parseLong(id), "done");
      assertThat(second.isAlive()).isTrue();
    }
  }
}
