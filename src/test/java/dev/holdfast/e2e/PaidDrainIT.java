package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.hangUntil;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** SIGTERM in the middle of paid work: a slow model behind a real server, real workers. */
@Tag("slow")
@WithDatabase
@Timeout(240)
class PaidDrainIT {
  private static final String DESIGN =
      """
      kind: agent
      targets: [{provider: openai, model: gpt-a}]
      tools: [write_file, run_command]
      """;
  private static final ModelBehaviour WRITE =
      toolCall("write_file", "{\"path\": \"a.txt\", \"content\": \"x\"}");
  private static final ModelBehaviour REPORT =
      toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}");

  private final TestDatabase database;
  private final TicketRows rows;
  private final CountDownLatch released = new CountDownLatch(1);
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;

  PaidDrainIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  @BeforeEach
  void prepare() {
    new TicketDatabase(database).run("DELETE FROM holdfast.provider_cooldowns");
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-test")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
  }

  private long enqueue(String design, String name) throws Exception {
    Files.writeString(directory.resolve("design.yaml"), design);
    holdfast.ok("design", "put", name, "--file", "design.yaml");
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", name, "--queue", name, "--payload", "{}"));
  }

  /** Sends SIGTERM; returns when the handlers of the running tickets have been told. */
  private void terminate(HoldfastProcess worker) throws Exception {
    worker.signal("TERM");
    await("the worker drains")
        .untilAsserted(
            () ->
                assertThat(
                        rows.value(
                            "SELECT state FROM holdfast.workers WHERE id = ?", worker.workerId()))
                    .isNotEqualTo("running"));
  }

  private void awaitRequest() {
    await("the model is asked").until(() -> !models.requests().isEmpty());
  }

  private List<String> journal(long id) {
    return rows.column(
        "SELECT kind FROM holdfast.session_journal WHERE ticket_id = ? ORDER BY seq", id);
  }

  private void assertGivenBack(long id, HoldfastProcess worker) throws Exception {
    assertThat(worker.awaitExit(Duration.ofSeconds(30))).isZero();
    assertThat(rows.of(id, "state || ' ' || retry_count || ' ' || crash_count"))
        .isEqualTo("ready 0 0");
    assertThat(rows.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName(
      "B36, B38: SIGTERM in mid-call: the answer is waited for and kept, no call and no tool begins"
          + " after it, no retry is used up, and the next worker does not ask for it again")
  void call() throws Exception {
    models.next(hangUntil(released, WRITE)).always(REPORT);
    long id = enqueue(DESIGN, "call");
    HoldfastProcess worker = holdfast.worker("--queue", "call");
    awaitRequest();

    terminate(worker);
    assertThat(worker.isAlive()).as("it waits for the answer").isTrue();
    released.countDown();

    assertGivenBack(id, worker);
    assertThat(models.requests()).as("calls of the drained worker").hasSize(1);
    assertThat(journal(id)).containsExactly("said", "answered");

    holdfast.worker("--queue", "call");
    rows.awaitState(id, "needs_review");
    assertThat(models.requests()).as("calls in all").hasSize(2);
    assertThat(models.lastRequest().assistantMessages()).isEqualTo(1);
    assertThat(journal(id)).containsSubsequence("answered", "tool_finished", "answered", "ended");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("5.2: a call that a hold or the end of a drain breaks off counts for its ticket")
  void brokenOff(boolean byPerson) throws Exception {
    models.next(hangUntil(released, WRITE)).always(REPORT);
    holdfast
        .with("HOLDFAST_PROVIDERS_OPENAI_PRICES", "[{model: gpt-a, input: 1000, output: 1000}]")
        .with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "1s");
    String name = "broken-" + byPerson;
    long id = enqueue(DESIGN, name);
    HoldfastProcess worker = holdfast.worker("--queue", name);
    awaitRequest();

    if (byPerson) {
      holdfast.ok("hold", Long.toString(id), "--reason", "look at it");
    } else {
      worker.signal("TERM");
      worker.awaitExit(Duration.ofSeconds(30));
    }

    await("it is written down").until(() -> journal(id), List.of("said", "discarded")::equals);
    released.countDown();
    assertThat(
            rows.value(
                "SELECT outcome || ' ' || (cost_usd > 8) FROM holdfast.attempt_costs WHERE"
                    + " ticket_id = ?",
                id))
        .isEqualTo(byPerson ? "revoked true" : "given_back true");
  }

  @Test
  @DisplayName("B36, B38: SIGTERM while an answer of no use is on its way: no further try is made")
  void discarded() throws Exception {
    models.next(hangUntil(released, answer("no tool call"))).always(REPORT);
    long id = enqueue(DESIGN, "discarded");
    HoldfastProcess worker = holdfast.worker("--queue", "discarded");
    awaitRequest();

    terminate(worker);
    released.countDown();

    assertGivenBack(id, worker);
    assertThat(models.requests()).hasSize(1);
    assertThat(journal(id)).containsExactly("said", "discarded");
  }

  @Test
  @DisplayName(
      "B36, B37, D22: SIGTERM ends a retry's wait: the retry is put off, and nothing called")
  void waiting() throws Exception {
    holdfast.with("HOLDFAST_SESSION_RETRY_BASE_DELAY", "10m");
    models.always(error(500, "server_error", "broken"));
    long id = enqueue(DESIGN + "limits: {max_retries: 1}\n", "waiting");
    HoldfastProcess worker = holdfast.worker("--queue", "waiting");
    String started =
        "SELECT count(*) FROM holdfast.session_events WHERE ticket_id = ? AND event ="
            + " 'auto_retry_start'";
    await("it waits").until(() -> rows.value(started, id).equals("1"));
    int calls = models.requests().size();

    worker.signal("TERM");

    assertGivenBack(id, worker);
    assertThat(models.requests()).hasSize(calls);
    assertThat(
            rows.column(
                "SELECT event || COALESCE(' ' || (details->>'reason'), '') FROM"
                    + " holdfast.session_events WHERE ticket_id = ? AND event LIKE 'auto_retry%'"
                    + " ORDER BY id",
                id))
        .containsExactly("auto_retry_start", "auto_retry_deferred the worker is being stopped");
  }

  @Test
  @DisplayName("B36, B38: SIGTERM while a summary is written: it is kept, and not paid for again")
  void summary() throws Exception {
    String print = "{\"command\": \"seq 1 2600\"}";
    models.always(
        ModelBehaviour.choose(
            request -> {
              if (isSummary(request)) {
                return hangUntil(released, answer("It counted."));
              }
              if (request.body().toString().contains("It counted.")) {
                return REPORT;
              }
              return request.assistantMessages() < 2
                  ? toolCall("run_command", print)
                  : error(400, "invalid_request_error", "the prompt is too long");
            }));
    long id = enqueue(DESIGN, "summary");
    HoldfastProcess worker = holdfast.worker("--queue", "summary");
    await("a summary is asked for")
        .until(() -> models.requests().stream().anyMatch(PaidDrainIT::isSummary));
    int calls = models.requests().size();

    terminate(worker);
    released.countDown();

    assertGivenBack(id, worker);
    assertThat(models.requests()).hasSize(calls);
    assertThat(journal(id)).endsWith("compacted");

    holdfast.worker("--queue", "summary");
    rows.awaitState(id, "needs_review");
    assertThat(models.requests().stream().filter(PaidDrainIT::isSummary)).hasSize(1);
  }

  private static boolean isSummary(ModelRequest request) {
    return request.body().toString().contains("older part of an agent's work");
  }

  @Test
  @DisplayName(
      "B36, B38: SIGTERM in a repair's call: its answer is kept, and no call begins after it")
  void repair() throws Exception {
    Path repository = directory.resolve("project");
    Files.createDirectories(repository);
    BrokenProject project = BrokenProject.shell();
    project.commitIn(repository);
    models.next(hangUntil(released, answer(project.change(project.wrong()))));
    models.always(answer(project.change(project.right())));
    long id =
        enqueue(
            """
            kind: repair
            repository: {path: "%s", ref: main}
            goal: Make the check pass.
            verify: [{name: check, command: %s, timeout: 1m}]
            targets: [{provider: openai, model: gpt-m}]
            """
                .formatted(repository, JsonMapper.shared().writeValueAsString(project.check())),
            "mender");
    HoldfastProcess worker = holdfast.worker("--queue", "mender");
    awaitRequest();

    terminate(worker);
    released.countDown();

    assertGivenBack(id, worker);
    assertThat(models.requests()).as("calls of the drained worker").hasSize(1);

    holdfast.worker("--queue", "mender");
    rows.awaitState(id, "needs_review");
    assertThat(models.requests()).as("calls in all").hasSize(2);
  }
}
