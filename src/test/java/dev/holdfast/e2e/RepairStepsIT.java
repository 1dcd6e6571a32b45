package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.TraceReceiver.Seen;
import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a worker process asks a model, step by step, to mend the first line of one file. Tests with
 * the default settings share one worker, those with settings of a worker another.
 */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class RepairStepsIT {
  private static final String UNKNOWN = "I do not know.";
  private static final String CHECK =
      "[ -f good.bin ] && exit 0; case \"$(head -n 1 value.txt)\" in good*) ;; *) echo wrong value;"
          + " exit 1;; esac\n";

  private TicketRows rows;
  private TestDatabase database;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private TraceReceiver receiver;
  @AutoClose private Installation usual;
  @AutoClose private Installation tuned;
  private @Nullable HoldfastProcess usualWorker;
  private @Nullable HoldfastProcess tunedWorker;

  @TempDir private Path ownDirectory;
  private Path project;

  @BeforeAll
  void install(TestDatabase given, @TempDir Path directory, @TempDir Path other) throws Exception {
    database = given;
    receiver = TraceReceiver.start();
    rows = new TicketRows(given.dataSource());
    project = projectIn(directory.resolve("project"));
    usual =
        installation(directory)
            .with("HOLDFAST_PROVIDERS_OPENAI_PRICES", "[{model: m, input: 1, output: 10}]")
            .with("HOLDFAST_PROVIDERS_LIMITED_TYPE", "openai")
            .with("HOLDFAST_PROVIDERS_LIMITED_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_PROVIDERS_LIMITED_API_KEY", "sk-limited");
    tuned =
        installation(other)
            .with("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint())
            .with("OTEL_BSP_SCHEDULE_DELAY", "200")
            .with("HOLDFAST_REPAIR_ESCALATION_ENABLED", "false")
            .with("HOLDFAST_REPAIR_ESCALATION_TO_L3_AFTER_NON_IMPROVING_ITERATIONS", "1")
            .with("HOLDFAST_REPAIR_L3_BEST_OF_N", "2")
            .with("HOLDFAST_REPAIR_JSON_RETRIES", "1")
            .with("HOLDFAST_PROVIDER_RETRY_MAX_RETRIES", "1")
            .with("HOLDFAST_PROVIDER_RETRY_BASE_DELAY", "20ms")
            .with("HOLDFAST_COOLDOWN_OUTAGE_AFTER", "1000");
  }

  @BeforeEach
  void forget() {
    models.forget();
  }

  /** One for all: a result is a branch of its ticket. */
  private static Path projectIn(Path project) throws Exception {
    Files.createDirectories(project);
    Files.writeString(project.resolve("value.txt"), "bad 0\n");
    Files.writeString(project.resolve("check.sh"), CHECK);
    Files.writeString(project.resolve("aside.md"), "aside\n".repeat(6_000));
    BrokenProject.git(project, "init", "-q", "-b", "main");
    BrokenProject.git(project, "add", "-A");
    BrokenProject.git(project, "commit", "-q", "-m", "The project");
    return project;
  }

  private Installation installation(Path directory) {
    return Installation.on(database, directory)
        .with("OPENAI_API_KEY", "sk-repair-steps-it")
        .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
  }

  private static String change(String from, String to) {
    return "value.txt\n<<<<<<< SEARCH\n" + from + "\n=======\n" + to + "\n>>>>>>> REPLACE\n";
  }

  /** Works a ticket of a design with these keys besides, until it is in the state. */
  private long work(String state, String... keys) throws Exception {
    usualWorker();
    long id = enqueue(usual, "usual", keys);
    rows.awaitState(id, state);
    return id;
  }

  private HoldfastProcess usualWorker() throws Exception {
    if (usualWorker == null) {
      usualWorker = usual.worker("--queue", "usual");
    }
    return usualWorker;
  }

  /** The same by the worker with settings. */
  private long workTuned(String state, String... keys) throws Exception {
    if (tunedWorker == null) {
      tunedWorker = tuned.worker("--queue", "tuned");
    }
    long id = enqueue(tuned, "tuned", keys);
    rows.awaitState(id, state);
    return id;
  }

  private long enqueue(Installation holdfast, String queue, String... keys) throws Exception {
    String design =
        """
        kind: repair
        repository: {path: "%s", ref: main}
        verify: [{name: check, command: [sh, check.sh]}]
        """
            .formatted(project);
    String targets = "targets: [{provider: openai, model: m}]\n";
    String more = String.join("\n", keys) + "\n";
    Files.writeString(
        holdfast.directory().resolve("mender.yaml"),
        design + (more.contains("targets:") ? "" : targets) + more);
    holdfast.ok("design", "put", "mender", "--file", "mender.yaml");
    return Long.parseLong(holdfast.ok("enqueue", "--design", "mender", "--queue", queue));
  }

  private static String said(ModelRequest request) {
    return request.messages().getLast().path("content").asString();
  }

  private static boolean isCandidate(ModelRequest request) {
    return said(request).contains("## Your way");
  }

  /** By who is asked; repairs and candidates get the same. */
  private void answers(String repair, String reviewer, String judge, String diagnoser) {
    models.always(choose(request -> answer(byRole(request, repair, reviewer, judge, diagnoser))));
  }

  private static String byRole(
      ModelRequest request, String repair, String reviewer, String judge, String diagnoser) {
    String system = request.messages().getFirst().path("content").asString();
    return system.startsWith("You review")
        ? reviewer
        : system.startsWith("You decide")
            ? judge
            : system.startsWith("Patches for") ? diagnoser : repair;
  }

  private List<String> asked(String system) {
    return models.requests().stream()
        .filter(each -> each.messages().getFirst().path("content").asString().startsWith(system))
        .map(RepairStepsIT::said)
        .toList();
  }

  @Test
  @DisplayName(
      "E17, E26: what a design says comes before repair.escalation and repair.l3; E26, 22.13: best"
          + " of three asks three different questions, each with a way of its own; its steps are"
          + " spans below the attempt, with their requests below them")
  void ways() throws Exception {
    models.always(
        choose(request -> answer(isCandidate(request) ? change("bad 0", "good 1") : UNKNOWN)));
    long id =
        workTuned(
            "needs_review",
            "escalation: {enabled: true, to_l3_after_non_improving_iterations: 2}",
            "l3: {best_of_n: 3}");
    assertThat(models.requests()).hasSize(2 + 3);
    List<String> candidates =
        models.requests().stream()
            .filter(RepairStepsIT::isCandidate)
            .map(RepairStepsIT::said)
            .toList();
    assertThat(candidates).hasSize(3).doesNotHaveDuplicates();
    assertThat(candidates)
        .extracting(each -> each.substring(0, each.indexOf("## Your way")))
        .as("what comes before is one text, which providers keep in their caches")
        .containsOnly(candidates.getFirst().substring(0, candidates.getFirst().indexOf("## Your")));
    assertThat(candidates).anyMatch(each -> each.contains("smallest change"));
    assertThat(candidates).anyMatch(each -> each.contains("root cause"));
    assertThat(candidates).anyMatch(each -> each.contains("defensively"));
    requireSpans(id);
  }

  /** The attempt's span ends last, and the others are sent no later. */
  private void requireSpans(long id) {
    Seen attempt =
        TicketRows.await("the attempt's span")
            .until(() -> attempts(id), each -> !each.isEmpty())
            .getFirst();
    List<Seen> steps = inTraceOf(attempt, "repair step");
    assertThat(steps)
        .hasSizeGreaterThanOrEqualTo(4)
        .allMatch(each -> each.parent().equals(attempt.id()));
    assertThat(steps).extracting(each -> each.get("holdfast.repair.step")).doesNotHaveDuplicates();
    assertThat(inTraceOf(attempt, "chat m"))
        .hasSize(models.requests().size())
        .allMatch(call -> steps.stream().anyMatch(step -> step.id().equals(call.parent())));
    assertThat(attempts(id)).hasSize(1);
  }

  private List<Seen> attempts(long id) {
    String ticket = Long.toString(id);
    return receiver.named("attempt mender").stream()
        .filter(each -> ticket.equals(each.get("holdfast.ticket.id")))
        .toList();
  }

  private List<Seen> inTraceOf(Seen attempt, String name) {
    return receiver.named(name).stream()
        .filter(each -> each.trace().equals(attempt.trace()))
        .toList();
  }

  @Test
  @DisplayName("E33: two repairs and three candidates without a patch are enough: five calls, held")
  void invalid() throws Exception {
    models.always(answer(UNKNOWN));
    long id = work("on_hold");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("invalid_output");
    assertThat(models.requests()).hasSize(5);
  }

  @Test
  @DisplayName(
      "E34, E36: an apply error that moves to another candidate is diagnosed; the large file that"
          + " the diagnosis names is shown before all others")
  void diagnosed() throws Exception {
    AtomicInteger candidates = new AtomicInteger();
    ModelBehaviour diagnosis =
        answer("{\"hypotheses\": [{\"hypothesis\": \"See aside.md.\", \"confidence\": 0.9}]}");
    models.always(
        choose(
            request -> {
              if (byRole(request, "", "", "", "diagnosis").equals("diagnosis")) {
                return diagnosis;
              }
              if (!isCandidate(request)) {
                return answer(UNKNOWN);
              }
              int attempt = (candidates.getAndIncrement() / 3) + 1;
              int number = said(request).contains("candidate 1 of") ? 1 : 2;
              return answer(
                  attempt == 3
                      ? change("bad 0", "good 1")
                      // One and the same error, first of candidate 1, then of the others.
                      : attempt == number
                          ? change("nowhere", "x")
                          : change("missing " + candidates.get(), "x"));
            }));
    work("needs_review");
    assertThat(asked("Patches for")).hasSize(1);
    ModelRequest last = models.lastRequest();
    assertThat(said(last)).contains("--- aside.md ---");
    assertThat(said(last).indexOf("--- aside.md ---"))
        .isLessThan(said(last).indexOf("--- value.txt ---"));
    assertThat(said(models.requests().getFirst())).doesNotContain("--- aside.md ---");
  }

  @Test
  @DisplayName(
      "E44: patches that change nothing are valid, and repairs that improve nothing; nothing is"
          + " diagnosed")
  void noOps() throws Exception {
    answers(change("bad 0", "bad 0"), "", "", "");
    long id = work("on_hold", "l3: {max_attempts: 2}");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("repeated_failure");
    assertThat(models.requests()).hasSize(2 + 6);
    assertThat(
            rows.column(
                "SELECT payload->>'outcome' FROM holdfast.repair_events WHERE ticket_id = ? AND"
                    + " type = 'RepairAttempted'",
                id))
        .containsExactly("no_op", "no_op");
    assertThat(
            rows.column(
                "SELECT payload->>'reason' FROM holdfast.repair_events WHERE ticket_id = ? AND"
                    + " type = 'RunEscalated'",
                id))
        .containsExactly("non_improving");
    assertThat(
            rows.column(
                "SELECT payload->>'valid' FROM holdfast.repair_events WHERE ticket_id = ? AND"
                    + " type = 'CandidateGenerated'",
                id))
        .hasSize(6)
        .containsOnly("true");
    assertThat(asked("Patches for")).isEmpty();
  }

  @Test
  @DisplayName(
      "C23: reviewer and judge whose answers are no JSON are told so and asked again, as often as"
          + " repair.json-retries says")
  void jsonAgain() throws Exception {
    AtomicInteger candidates = new AtomicInteger();
    models.always(
        choose(
            request ->
                answer(
                    isCandidate(request)
                        ? change("bad 0", "worse " + candidates.incrementAndGet())
                        : byRole(
                            request,
                            UNKNOWN,
                            "The second one.",
                            asked("You decide").size() < 2
                                ? "{\"winner\": 2,,}"
                                : "{\"winner\": 2}",
                            ""))));
    long id = workTuned("on_hold", "escalation: {enabled: true}");
    List<String> reviews = asked("You review");
    assertThat(reviews).hasSize(2);
    assertThat(reviews.getLast())
        .startsWith(reviews.getFirst())
        .contains("The second one.", "there is no {...} in it");
    assertThat(asked("You decide").getLast()).contains("{\"winner\": 2,,}", "Unexpected character");
    assertThat(
            rows.column(
                "SELECT payload->>'winner' FROM holdfast.repair_events WHERE ticket_id = ? AND"
                    + " type = 'JudgeDecided'",
                id))
        .containsExactly("2");
  }

  @Test
  @DisplayName("E17, E26: repair.escalation and repair.l3 hold where a design says nothing")
  void workersDefaults() throws Exception {
    models.always(answer(UNKNOWN));
    workTuned("on_hold");
    assertThat(models.requests()).isNotEmpty().noneMatch(RepairStepsIT::isCandidate);
    models.forget();
    models.always(answer(UNKNOWN));
    workTuned("on_hold", "escalation: {enabled: true}");
    assertThat(models.requests()).hasSize(1 + 2);
  }

  @Test
  @DisplayName(
      "E7: a call is tried as often as provider.retry says; a target of the design may say"
          + " otherwise")
  void providerRetry() throws Exception {
    models.always(
        choose(
            request ->
                request.model().equals("last")
                    ? answer(change("bad 0", "good 1"))
                    : error(500, "server_error", "no")));
    long id =
        workTuned(
            "needs_review",
            "targets:",
            "  - {provider: openai, model: usual}",
            "  - {provider: openai, model: own, retry: {max_retries: 2, max_delay: 30ms}}",
            "  - {provider: openai, model: last, retry: {max_retries: 0}}");
    assertThat(models.requests())
        .extracting(ModelRequest::model)
        .containsExactly("usual", "usual", "own", "own", "own", "last");
    assertThat(
            rows.column(
                "SELECT payload->>'retries' FROM holdfast.repair_events WHERE ticket_id = ? AND"
                    + " type = 'ProviderRequestFinished' ORDER BY seq, no",
                id))
        .containsExactly("1", "2", "0");
  }

  @Test
  @DisplayName("E12: a provider that asks for a long wait puts a repair off, and costs it no retry")
  void longRetryAfter() throws Exception {
    models.always(error(429, "rate_limit_exceeded", "slow", Map.of("Retry-After", "3600")));
    usualWorker();
    // What is known of a key is known to all: this one has a provider of its own.
    long id = enqueue(usual, "usual", "targets: [{provider: limited, model: m}]");
    TicketRows.await("the first attempt has ended").until(() -> !rows.outcomes(id).isEmpty());
    assertThat(rows.outcomes(id)).containsExactly("deferred");
    assertThat(rows.of(id, "coalesce(retry_count, 0)")).isEqualTo("0");
    assertThat(models.requests()).hasSize(1);
  }

  /** What git says of a new file that is no text. */
  private String binaryPatch() throws Exception {
    Path other = Files.createDirectories(ownDirectory.resolve("other"));
    BrokenProject.git(other, "init", "-q");
    Files.write(other.resolve("good.bin"), new byte[] {0, 1, 2, 3, 0, (byte) 0xff});
    BrokenProject.git(other, "add", "-A");
    return "```diff\n" + BrokenProject.git(other, "diff", "--cached", "--binary") + "\n\n```\n";
  }

  @Test
  @DisplayName("E46: a binary patch is refused unless the design allows it, and the model is told")
  void binaryRefused() throws Exception {
    models.always(answer(binaryPatch()));
    long id = work("on_hold");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("invalid_output");
    assertThat(said(models.lastRequest())).contains("patch.allow_binary");
  }

  @Test
  @DisplayName("E46: patch.allow_binary of a design: the binary file is in the result's commit")
  void binaryAllowed() throws Exception {
    models.always(answer(binaryPatch()));
    long id = work("needs_review", "patch: {allow_binary: true}");
    assertThat(models.requests()).hasSize(1);
    assertThat(
            BrokenProject.git(project, "ls-tree", "--name-only", rows.of(id, "result->>'commit'")))
        .contains("good.bin");
  }

  @Test
  @DisplayName("E46: patch.max_lines and patch.max_files of a design bound what a patch may change")
  void largerThanAllowed() throws Exception {
    models.always(answer(change("bad 0", "good 1\nand 2")));
    work("on_hold", "patch: {max_lines: 2, max_files: 1}");
    assertThat(said(models.lastRequest()))
        .contains("The patch changes 3 lines, the limit is 2 lines");
  }

  @Test
  @DisplayName("A63: a repair whose budget is used up counts as exhausted, as transient")
  void callsUsedUp() throws Exception {
    models.always(answer(UNKNOWN));
    double before = exhausted("transient");
    double ofCode = exhausted("code_error");
    long id = work("on_hold", "limits: {max_calls: 1}");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("budget_exceeded");
    TicketRows.await("the hold is counted").until(() -> exhausted("transient") == before + 1);
    assertThat(exhausted("code_error")).isEqualTo(ofCode);
  }

  private double exhausted(String category) throws Exception {
    return usualWorker().metric("tickets_retry_exhausted_total{category=\"" + category + "\"}");
  }

  @Test
  @DisplayName(
      "E16: a ticket's own limit holds a repair before a call that may cost more, and who raises it"
          + " releases it")
  void ownLimit() throws Exception {
    usualWorker();
    models.always(answer(change("bad 0", "good 1")));
    enqueue(usual, "unworked");
    String id = usual.ok("enqueue", "--design", "mender", "--queue", "usual", "--max-cost", "0.01");
    rows.awaitState(Long.parseLong(id), "on_hold");
    assertThat(rows.of(Long.parseLong(id), "hold_reason"))
        .startsWith("budget_exceeded: ticket:" + id + ": 0 USD spent of 0.01, the next call may");
    assertThat(models.requests()).isEmpty();
    assertThat(usual.ok("budgets", "raise", "ticket:" + id, "--to", "5")).contains("released 1");
    rows.awaitState(Long.parseLong(id), "needs_review");
  }
}
