package dev.holdfast.telemetry;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * Counts the ends of executions that were retries (A65): counters that can be summed over workers,
 * and the source's rate of the last hour. Thread-safe.
 */
final class RetryOutcomes {
  enum Outcome {
    SUCCEEDED,
    FAILED,
    /** Its lease expired; counted by the worker that rescued the ticket. */
    CRASHED
  }

  private final Map<Outcome, Counter> counters = new EnumMap<>(Outcome.class);
  private final RetryWindow window;
  private final MultiGauge rate;

  RetryOutcomes(MeterRegistry registry) {
    for (Outcome outcome : Outcome.values()) {
      counters.put(
          outcome,
          Counter.builder("tickets.retries.finished")
              .description("Executions that were retries and have ended, by how they ended.")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    window = new RetryWindow(registry.config().clock()::monotonicTime);
    rate =
        MultiGauge.builder("retry.success.rate")
            .description(
                "Percent of the retries finished here within the last hour that succeeded;"
                    + " absent while there are none.")
            .register(registry);
  }

  void finished(Outcome outcome) {
    Objects.requireNonNull(counters.get(outcome)).increment();
    window.add(outcome == Outcome.SUCCEEDED);
  }

  /**
   * Brings the rate up to date. A gauge without a value would read as a rate of 0, so there is no
   * gauge then.
   */
  void update() {
    OptionalDouble percent = window.percent();
    rate.register(
        percent.isPresent()
            ? List.of(MultiGauge.Row.of(Tags.empty(), percent.getAsDouble()))
            : List.of(),
        true);
  }
}
