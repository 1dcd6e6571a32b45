package dev.holdfast.telemetry;

import dev.holdfast.repair.EndReason;
import dev.holdfast.session.event.SessionEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import tools.jackson.databind.node.ObjectNode;

/**
 * Counts what happens in runs of repairs, so that the source's rates are quotients of counters
 * (E48). Thread-safe.
 */
public final class RepairMetrics {
  private final MeterRegistry registry;
  private final Counter started;
  private final DistributionSummary iterations;
  private final Counter steps;
  private final Counter diagnoses;
  private final Counter judgements;

  public RepairMetrics(MeterRegistry registry) {
    this.registry = registry;
    started = counter("runs.started", "Runs that began.");
    iterations =
        DistributionSummary.builder("holdfast.repair.iterations")
            .description("Repairs one after the other, of each run that repaired and ended.")
            .register(registry);
    steps = counter("steps", "Steps of L3.");
    diagnoses = counter("diagnoses", "Diagnoses in steps of L3.");
    judgements = counter("judgements", "Near-ties that were given to a judge.");
    escalations("non_improving");
    escalations("patch_apply_failures");
    for (EndReason reason : EndReason.values()) {
      stopped(reason.wireName());
    }
    for (boolean flag : new boolean[] {false, true}) {
      candidates(flag);
    }
  }

  /** Counts an event of a run, and ignores every other event. */
  public void on(SessionEvent event) {
    if (event instanceof SessionEvent.Traced traced) {
      on(traced.type(), traced.payload());
    }
  }

  private void on(String type, ObjectNode payload) {
    switch (type) {
      case "RunStarted" -> started.increment();
      case "RunStopped" -> {
        stopped(payload.path("reason").asString("")).increment();
        int repairs = payload.path("iterations").asInt(0);
        if (repairs > 0) {
          iterations.record(repairs);
        }
      }
      case "RunEscalated" -> escalations(payload.path("reason").asString("")).increment();
      case "StepStarted" -> steps.increment();
      case "DiagnosisStarted" -> diagnoses.increment();
      case "JudgeInvoked" -> judgements.increment();
      case "CandidateGenerated" -> candidates(payload.path("valid").asBoolean(false)).increment();
      default -> {
        // The other events are counted nowhere.
      }
    }
  }

  private Counter stopped(String reason) {
    return counter("runs.stopped", "Runs that ended.", "reason", reason);
  }

  private Counter escalations(String reason) {
    return counter("escalations", "Runs that went from L2 to L3.", "reason", reason);
  }

  private Counter candidates(boolean valid) {
    return counter(
        "candidates", "Candidates that were generated.", "valid", Boolean.toString(valid));
  }

  private Counter counter(String name, String description, String... tags) {
    return Counter.builder("holdfast.repair." + name)
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
