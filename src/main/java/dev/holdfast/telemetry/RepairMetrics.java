package dev.holdfast.telemetry;

import dev.holdfast.session.SessionEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import tools.jackson.databind.node.ObjectNode;

/**
 * Counts what happens in runs of repairs, so that the source's rates are quotients of counters
 * (E48). Thread-safe.
 */
public final class RepairMetrics {
  private final MeterRegistry registry;

  public RepairMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Events that are not a run's are none of it. */
  public void on(SessionEvent event) {
    if (event instanceof SessionEvent.Traced traced) {
      on(traced.type(), traced.payload());
    }
  }

  private void on(String type, ObjectNode payload) {
    switch (type) {
      case "RunStarted" -> count("holdfast.repair.runs.started", "Runs that began.");
      case "RunStopped" -> {
        count(
            "holdfast.repair.runs.stopped",
            "Runs that ended.",
            "reason",
            payload.path("reason").asString(""));
        registry
            .summary("holdfast.repair.iterations")
            .record(payload.path("iterations").asDouble(0));
      }
      case "RunEscalated" ->
          count(
              "holdfast.repair.escalations",
              "Runs that went from L2 to L3.",
              "reason",
              payload.path("reason").asString(""));
      case "StepStarted" -> count("holdfast.repair.steps", "Steps of L3.");
      case "DiagnosisStarted" -> count("holdfast.repair.diagnoses", "Diagnoses in L3 steps.");
      case "JudgeInvoked" -> count("holdfast.repair.judgements", "Near-ties given to a judge.");
      case "CandidateGenerated" ->
          count(
              "holdfast.repair.candidates",
              "Candidates that were generated.",
              "valid",
              Boolean.toString(payload.path("valid").asBoolean(false)));
      case "ProviderRequestFinished" ->
          count(
              "holdfast.repair.requests",
              "Requests of models by runs, each with its retries.",
              "retried",
              Boolean.toString(payload.path("retries").asInt(0) > 0),
              "success",
              Boolean.toString(payload.path("success").asBoolean(false)));
      default -> {
        // The other events are counted nowhere.
      }
    }
  }

  private void count(String name, String description, String... tags) {
    Counter.builder(name).description(description).tags(tags).register(registry).increment();
  }
}
