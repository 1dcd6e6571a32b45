package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.hangUntil;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * SIGTERM in the middle of paid work: a slow model behind a real server, real workers. Each case
 * has a queue and a model of its own; all of them stand in one worker when it is told to stop.
 */
@Tag("slow")
@WithDatabase
@Timeout(240)
class PaidDrainIT {
  private static final ModelBehaviour WRITE =
      toolCall("write_file", "{\"path\": \"a.txt\", \"content\": \"x\"}");
  private static final ModelBehaviour REPORT =
      toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}");

  private final TicketRows rows;
  private final CountDownLatch released = new CountDownLatch(1);
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private final Installation holdfast;

  PaidDrainIT(TestDatabase database, @TempDir Path place) {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, place)
            .with("OPENAI_API_KEY", "sk-test")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
  }

  private long enqueue(String design, String name) throws Exception {
    Files.writeString(holdfast.directory().resolve("design.yaml"), design);
    holdfast.ok("design", "put", name, "--file", "design.yaml");
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", name, "--queue", name, "--payload", "{}"));
  }

  /** An agent that asks the model of its name. */
  private long enqueueAgent(String name, String... keys) throws Exception {
    return enqueue(
        """
        kind: agent
        targets: [{provider: openai, model: %s}]
        tools: [write_file, run_command]
        %s
        """
            .formatted(name, String.join("\n", keys)),
        name);
  }

  private List<ModelRequest> requests(String model) {
    return models.requests().stream().filter(each -> each.model().equals(model)).toList();
  }

  private void awaitRequest(String model) {
    await("the model " + model + " is asked").until(() -> !requests(model).isEmpty());
  }

  private List<String> journal(long id) {
    return rows.column(
        "SELECT kind FROM holdfast.session_journal WHERE ticket_id = ? ORDER BY seq", id);
  }

  private void assertGivenBack(long id) {
    assertThat(rows.of(id, "state || ' ' || retry_count || ' ' || crash_count"))
        .isEqualTo("ready 0 0");
    assertThat(rows.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName(
      "B36, B38: SIGTERM in mid-call: the answer is waited for and kept, no call and no tool begins"
          + " after it, no retry is used up, and the next worker does not ask for it again;"
          + " while an answer of no use is on its way: no further try is made;"
          + " while a summary is written: it is kept, and not paid for again;"
          + " in a repair's call: its answer is kept, and no call begins after it;"
          + " B36, B37, D22: SIGTERM ends a retry's wait: the retry is put off, and nothing called;"
          + " 5.2: a call that a hold or the end of a drain breaks off counts for its ticket")
  void drained() throws Exception {
    models.nextFor("call", hangUntil(released, WRITE), REPORT);
    models.nextFor("discarded", hangUntil(released, answer("no tool call")));
    models.nextFor("waiting", error(500, "server_error", "broken"));
    models.always(choose(this::answerAgain));
    holdfast.with("HOLDFAST_SESSION_RETRY_BASE_DELAY", "10m");
    long call = enqueueAgent("call");
    long discarded = enqueueAgent("discarded");
    long waiting = enqueueAgent("waiting", "limits: {max_retries: 1}");
    long summary = enqueueAgent("summary");
    long repair = enqueueRepair("repair");
    HoldfastProcess worker = worker("call", "discarded", "waiting", "summary", "repair");
    List.of("call", "discarded", "repair").forEach(this::awaitRequest);
    await("a summary is asked for")
        .until(() -> requests("summary").stream().anyMatch(PaidDrainIT::isSummary));
    String started =
        "SELECT count(*) FROM holdfast.session_events WHERE ticket_id = ? AND event ="
            + " 'auto_retry_start'";
    await("it waits").until(() -> rows.value(started, waiting).equals("1"));
    int calls = models.requests().size();

    terminate(worker);
    assertThat(worker.isAlive()).as("it waits for the answers").isTrue();
    released.countDown();
    assertThat(worker.awaitExit(Duration.ofSeconds(30))).isZero();

    assertThat(models.requests()).as("calls of the drained worker").hasSize(calls);
    List.of(call, discarded, waiting, summary, repair).forEach(this::assertGivenBack);
    assertThat(List.of(requests("call"), requests("discarded"), requests("repair")))
        .allSatisfy(each -> assertThat(each).hasSize(1));
    assertThat(journal(call)).containsExactly("said", "answered");
    assertThat(journal(discarded)).containsExactly("said", "discarded");
    assertThat(journal(summary)).endsWith("compacted");
    assertThat(
            rows.column(
                "SELECT event || COALESCE(' ' || (details->>'reason'), '') FROM"
                    + " holdfast.session_events WHERE ticket_id = ? AND event LIKE 'auto_retry%'"
                    + " ORDER BY id",
                waiting))
        .containsExactly("auto_retry_start", "auto_retry_deferred the worker is being stopped");

    holdfast
        .with("HOLDFAST_PROVIDERS_OPENAI_PRICES", "[{model: \"*\", input: 1000, output: 1000}]")
        .with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "1s");
    HoldfastProcess next = worker("call", "summary", "repair", "held", "stopped");
    goesOn(call, summary, repair);
    brokenOff(next);
  }

  /** The next worker asks for nothing again that has been answered. */
  private void goesOn(long call, long summary, long repair) {
    for (long id : List.of(call, summary, repair)) {
      rows.awaitState(id, "needs_review");
    }
    assertThat(requests("call")).as("calls in all").hasSize(2);
    assertThat(requests("call").getLast().assistantMessages()).isEqualTo(1);
    assertThat(journal(call)).containsSubsequence("answered", "tool_finished", "answered", "ended");
    assertThat(requests("summary").stream().filter(PaidDrainIT::isSummary)).hasSize(1);
    assertThat(requests("repair")).as("calls in all").hasSize(2);
  }

  /** Answers to what has no answers of its own. */
  private ModelBehaviour answerAgain(ModelRequest request) {
    return switch (request.model()) {
      case "summary" -> answerOfSummary(request);
      case "repair" -> answer(BrokenProject.shell().change(BrokenProject.shell().right()));
      default -> REPORT;
    };
  }

  /** Prints much, until the prompt is too long and a summary takes its place. */
  private ModelBehaviour answerOfSummary(ModelRequest request) {
    if (isSummary(request)) {
      return hangUntil(released, answer("It counted."));
    }
    if (request.body().toString().contains("It counted.")) {
      return REPORT;
    }
    return request.assistantMessages() < 2
        ? toolCall("run_command", "{\"command\": \"seq 1 2600\"}")
        : error(400, "invalid_request_error", "the prompt is too long");
  }

  private static boolean isSummary(ModelRequest request) {
    return request.body().toString().contains("older part of an agent's work");
  }

  private long enqueueRepair(String name) throws Exception {
    Path repository = Files.createDirectories(directory.resolve("project"));
    BrokenProject project = BrokenProject.shell();
    project.commitIn(repository);
    models.nextFor(name, hangUntil(released, answer(project.change(project.wrong()))));
    return enqueue(
        """
        kind: repair
        repository: {path: "%s", ref: main}
        goal: Make the check pass.
        verify: [{name: check, command: %s, timeout: 1m}]
        targets: [{provider: openai, model: %s}]
        """
            .formatted(repository, JsonMapper.shared().writeValueAsString(project.check()), name),
        name);
  }

  private HoldfastProcess worker(String... queues) throws Exception {
    return holdfast.worker(
        Stream.of(queues).flatMap(each -> Stream.of("--queue", each)).toArray(String[]::new));
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

  /** Its drain ends before the answer comes. */
  private void brokenOff(HoldfastProcess worker) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    models.nextFor("held", hangUntil(never, WRITE));
    models.nextFor("stopped", hangUntil(never, WRITE));
    long held = enqueueAgent("held");
    long stopped = enqueueAgent("stopped");
    awaitRequest("held");
    awaitRequest("stopped");

    holdfast.ok("hold", Long.toString(held), "--reason", "look at it");
    assertCounted(held, "revoked true");
    worker.signal("TERM");
    worker.awaitExit(Duration.ofSeconds(30));
    assertCounted(stopped, "given_back true");
    never.countDown();
  }

  private void assertCounted(long id, String outcome) {
    await("5.2: the call of ticket " + id + " is written down")
        .until(() -> journal(id), List.of("said", "discarded")::equals);
    assertThat(
            rows.value(
                "SELECT outcome || ' ' || (cost_usd > 8) FROM holdfast.attempt_costs WHERE"
                    + " ticket_id = ?",
                id))
        .as("5.2: what became of a call that was broken off, and that it counts")
        .isEqualTo(outcome);
  }
}
