package dev.holdfast.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ProviderEvent.ProviderRequestFinished;
import dev.holdfast.testing.EverySetup;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@EverySetup
class RepairMetricsTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Test
  @DisplayName("E48: requests that were never sent are not counted")
  void requests() {
    ModelMetrics metrics = new ModelMetrics(registry, List.of("one"));
    metrics.on(new ProviderRequestFinished("one", 0, false, 5, "one: outage", false));
    metrics.on(new ProviderRequestFinished("one", 0, false, 5, "HTTP 400"));

    assertThat(registry.scrape())
        .contains(
            "holdfast_provider_requests_total{outcome=\"failed\",provider=\"one\","
                + "retried=\"false\"} 1.0");
  }
}
