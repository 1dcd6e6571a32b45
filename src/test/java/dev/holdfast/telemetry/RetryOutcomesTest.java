package dev.holdfast.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.telemetry.RetryOutcomes.Outcome;
import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RetryOutcomesTest {
  private final AtomicLong nanos = new AtomicLong(-Duration.ofMinutes(90).toNanos());
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(
          PrometheusConfig.DEFAULT,
          new PrometheusRegistry(),
          new Clock() {
            @Override
            public long wallTime() {
              return 1_795_302_000_000L;
            }

            @Override
            public long monotonicTime() {
              return nanos.get();
            }
          });
  private final RetryOutcomes outcomes = new RetryOutcomes(registry);

  private String scrape() {
    outcomes.update();
    return registry.scrape();
  }

  @Test
  @DisplayName("A65: before any retry has finished there is no rate, and the counters are zero")
  void nothing() {
    assertThat(scrape())
        .doesNotContain("retry_success_rate")
        .doesNotContain("NaN")
        .contains("tickets_retries_finished_total{outcome=\"crashed\"} 0.0")
        .contains("tickets_retries_finished_total{outcome=\"failed\"} 0.0")
        .contains("tickets_retries_finished_total{outcome=\"succeeded\"} 0.0");
  }

  @Test
  @DisplayName("A65: 4 retries, one of them a crash, 2 succeed: 50 percent; after an hour, nothing")
  void hour() {
    outcomes.finished(Outcome.SUCCEEDED);
    outcomes.finished(Outcome.CRASHED);
    nanos.addAndGet(Duration.ofMinutes(30).toNanos());
    outcomes.finished(Outcome.FAILED);
    outcomes.finished(Outcome.SUCCEEDED);
    assertThat(scrape()).contains("\nretry_success_rate 50.0\n");

    nanos.addAndGet(Duration.ofMinutes(31).toNanos());
    outcomes.finished(Outcome.SUCCEEDED);
    assertThat(scrape()).contains("\nretry_success_rate 66.6666");

    nanos.addAndGet(Duration.ofMinutes(61).toNanos());
    assertThat(scrape())
        .doesNotContain("retry_success_rate")
        .contains("tickets_retries_finished_total{outcome=\"crashed\"} 1.0")
        .contains("tickets_retries_finished_total{outcome=\"failed\"} 1.0")
        .contains("tickets_retries_finished_total{outcome=\"succeeded\"} 3.0");
  }
}
