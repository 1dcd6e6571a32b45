package dev.holdfast.repair;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.Target;
import dev.holdfast.repair.trace.Trace;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.retry.Route;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs repairs on one file whose first line is checked; only the model is a script. */
final class Bench {
  static final String NO_DIFF = "I do not know.";

  final ScriptedModel model = new ScriptedModel();

  /** Asked before the model. */
  final List<ScriptedModel> before = new ArrayList<>();

  final List<JsonNode> events = new ArrayList<>();
  final AtomicLong nanos = new AtomicLong();
  RepairRepository workbench = new OneFileRepository("bad 0\n");
  Journal journal = new InMemoryJournal();
  RepairSettings.Limits limits = RepairSettings.Limits.DEFAULTS;
  RepairSettings.Escalation escalation = RepairSettings.Escalation.DEFAULTS;
  RepairSettings.Candidates l3 = RepairSettings.Candidates.DEFAULTS;
  RepairSettings.Diagnosis diagnosis = RepairSettings.Diagnosis.DEFAULTS;
  int jsonRetries;
  int callsPerAttempt;
  Supplier<Optional<BigDecimal>> ownLimit = Optional::empty;
  RepairTask task = new RepairTask("Make it good.", List.of(), false);
  RunEnd.At at = new RunEnd.At(0, 0);
  ProviderEventListener listener = ProviderEventListener.NONE;
  Trace file =
      new Trace() {
        @Override
        public void begin(List<JsonNode> earlier) {}

        @Override
        public void append(List<JsonNode> events) {}
      };

  /** A patch of the file; more lines make it larger. */
  static String change(String from, String to) {
    return "Try this:\n\nvalue.txt\n<<<<<<< SEARCH\n"
        + from
        + "\n=======\n"
        + to
        + "\n>>>>>>> REPLACE\n";
  }

  Bench without(boolean escalations) {
    escalation = new RepairSettings.Escalation(escalations, 2, 2, escalations ? 1 : 0);
    return this;
  }

  Bench limits(int iterations, Duration time, int calls, @Nullable BigDecimal cost) {
    limits = new RepairSettings.Limits(iterations, time, calls, cost, Duration.ofMinutes(1), null);
    return this;
  }

  RunEnd run() throws IOException, InterruptedException {
    events.clear();
    Trace trace =
        new Trace() {
          @Override
          public void begin(List<JsonNode> earlier) {
            events.addAll(earlier);
            file.begin(earlier);
          }

          @Override
          public void append(List<JsonNode> more) {
            events.addAll(more);
            file.append(more);
          }
        };
    RepairRun.Ports ports =
        new RepairRun.Ports(
            new ModelPorts(time -> {}, nanos::get, () -> 0, CallRetryOptions.DEFAULTS, listener),
            InstantSource.fixed(Instant.parse("2026-11-21T08:00:00Z")),
            name -> trace,
            (routes, context) -> routes,
            2,
            callsPerAttempt,
            new RepairRun.Money(ownLimit, 8192));
    List<JournalEntry> entries = journal.entries();
    return new RepairRun(
            ports, new RepairSettings(limits, escalation, l3, diagnosis, jsonRetries), routes())
        .run(new RepairRun.Job(17, "ticket-17", task, at), journal, entries, workbench);
  }

  private List<Route> routes() {
    List<ScriptedModel> all = new ArrayList<>(before);
    all.add(model);
    return all.stream().map(each -> new Route(new Target("played", "m"), each)).toList();
  }

  List<String> types() {
    return events.stream().map(each -> each.path("type").asString()).toList();
  }

  /** Without what every call and candidate leaves. */
  List<String> story() {
    return types().stream().filter(each -> !each.startsWith("ProviderRequest")).toList();
  }

  List<JsonNode> payloads(String type) {
    return events.stream()
        .filter(each -> each.path("type").asString().equals(type))
        .map(each -> each.path("payload"))
        .toList();
  }
}
