package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A hostile model's programs in a worker process, where bubblewrap is and where it is not. */
@Tag("slow")
@WithDatabase
@Timeout(180)
@EnabledIf("hasBubblewrap")
class SandboxIT {
  private static final Path BUBBLEWRAP = Path.of("/usr/bin/bwrap");
  private static final String DESIGN =
      """
      kind: agent
      review: none
      targets: [{provider: openai, model: gpt-s}]
      tools: [run_command]
      """;

  private final TestDatabase database;
  private final TicketRows rows;
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;

  SandboxIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  static boolean hasBubblewrap() {
    return Files.isExecutable(BUBBLEWRAP);
  }

  @BeforeEach
  void prepare() {
    rows.column("DELETE FROM holdfast.provider_cooldowns");
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-sandbox")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
  }

  private long enqueue(String design) throws Exception {
    Files.writeString(directory.resolve("design.yaml"), design);
    holdfast.ok("design", "put", "hostile", "--file", "design.yaml");
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", "hostile", "--payload", "{\"prompt\": \"go\"}"));
  }

  private void modelRuns(String command) {
    String arguments = JsonMapper.shared().createObjectNode().put("command", command).toString();
    models.next(
        toolCall("run_command", arguments),
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
  }

  private String answerOfTheTool() {
    return models.lastRequest().lastMessage();
  }

  /** A PATH with what the tests run, and without bubblewrap. */
  private Path bareBin() throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    for (String each : List.of("env", "grep", "kill", "setsid", "sh")) {
      Files.createSymbolicLink(bin.resolve(each), BUBBLEWRAP.resolveSibling(each));
    }
    return bin;
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: with default settings a model's program reaches neither the local token nor"
          + " the console's port nor the database's, and cannot make the disk writable; where"
          + " nobody can find out whether programs can be confined, as without room for temporary"
          + " files, none runs unconfined, no model is asked, and the ticket is given back; with"
          + " room again, without a restart, they are confined")
  void hostileModel() throws Exception {
    Files.writeString(directory.resolve("holdfast.yaml"), "worker: {poll-interval: 50ms}\n");
    Path temporary = directory.resolve("temporary");
    holdfast.with("TMPDIR", temporary.toString());
    HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitConsole();
    assertWaitsForRoom(worker, temporary);
    assertReachesNothing(worker);
  }

  private void assertWaitsForRoom(HoldfastProcess worker, Path temporary) throws Exception {
    modelRuns("grep CapEff /proc/self/status");
    long id = enqueue(DESIGN);
    await("the ticket is given back").until(() -> !rows.outcomes(id).isEmpty());

    assertThat(rows.outcomes(id)).containsOnly("given_back");
    // It is ready again for the moment of each next try.
    await("the worker is not ready")
        .untilAsserted(
            () ->
                assertThat(worker.get("/health/ready").body())
                    .contains("no program can be prepared in " + temporary));
    assertThat(models.requests()).as("no model was asked").isEmpty();
    await("the log says why")
        .untilAsserted(
            () -> assertThat(worker.toString()).contains("make room on the disk of " + temporary));
    assertThat(holdfast.run("doctor").stdout())
        .contains("fail  sandbox: programs of tools are refused", temporary.toString());

    Files.createDirectory(temporary);
    rows.awaitState(id, "done");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    assertThat(answerOfTheTool()).contains("exit code 0", "CapEff:\\t0000000000000000");
  }

  private void assertReachesNothing(HoldfastProcess worker) throws Exception {
    Path token = directory.toRealPath().resolve(".holdfast/token");
    assertThat(token).isNotEmptyFile();
    String port = database.jdbcUrl().replaceFirst(".*:(\\d+)/.*", "$1");
    modelRuns(
        """
        cat %s %s; mount -o remount,rw,bind / && echo remounted
        bash -c 'exec 3<>/dev/tcp/127.0.0.1/%s' && echo reached the console
        bash -c 'exec 3<>/dev/tcp/127.0.0.1/%s' && echo reached the database
        grep CapEff /proc/self/status; pwd
        """
            .formatted(
                token,
                directory.resolve("holdfast.yaml"),
                worker.request("/").build().uri().getPort(),
                port)
            .replace("\n", "; "));
    long id = enqueue(DESIGN);
    rows.awaitState(id, "done");

    assertThat(answerOfTheTool())
        .contains("exit code 0", "CapEff:\\t0000000000000000")
        .contains(".holdfast/agents/ticket-" + id)
        .doesNotContain("remounted", "reached", "poll-interval")
        .doesNotContain(Files.readString(token).strip());
    assertThat(holdfast.ask("doctor").stdout())
        .contains("ok    sandbox: bubblewrap works, and is required");
    assertThat(worker.get("/workers").body()).contains("bubblewrap works, and is required");
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: tools.sandbox required without bubblewrap holds the ticket and says what to"
          + " do; after that, a release without a restart runs it confined")
  void required() throws Exception {
    Path bin = bareBin();
    holdfast.with("PATH", bin.toString()).with("HOLDFAST_TOOLS_SANDBOX", "required");
    modelRuns("grep CapEff /proc/self/status");
    long id = enqueue(DESIGN);
    HoldfastProcess worker = holdfast.worker();
    rows.awaitState(id, "on_hold");

    String next = "bubblewrap (bwrap) is not installed: install it (apt-get install bubblewrap";
    assertThat(rows.of(id, "hold_reason")).contains("tools.sandbox is required", next, "release");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    assertThat(models.requests()).as("no model was asked").isEmpty();
    assertThat(worker.toString()).doesNotContain(bin.toString());
    Outcome doctor = holdfast.run("doctor");
    assertThat(doctor.exit()).isEqualTo(1);
    assertThat(doctor.stdout()).contains("fail  sandbox: programs of tools are refused");

    Files.createSymbolicLink(bin.resolve("bwrap"), BUBBLEWRAP);
    holdfast.ok("release", Long.toString(id));
    rows.awaitState(id, "done");
    assertThat(models.requests()).hasSize(2);
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: without bubblewrap the default runs programs unconfined, and the log, doctor"
          + " and the model say so in one line without a PATH; an agent without programs needs"
          + " none")
  void preferred() throws Exception {
    Path bin = bareBin();
    holdfast.with("PATH", bin.toString());
    modelRuns("echo ran");
    long id = enqueue(DESIGN);
    HoldfastProcess worker = holdfast.worker();
    rows.awaitState(id, "done");

    assertThat(answerOfTheTool()).contains("exit code 0\\nran");
    assertThat(models.requests().getFirst().body().toString())
        .contains("Programs are not confined");
    String line =
        "programs of tools are not confined: bubblewrap (bwrap) is not installed; install";
    assertThat(worker.toString()).containsOnlyOnce(line).doesNotContain(bin.toString());
    assertThat(holdfast.run("doctor").stdout()).contains("warn  sandbox: " + line);
  }
}
