package dev.holdfast.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ProviderEvent.ProviderRequestFinished;
import dev.holdfast.session.event.SessionEvent;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class RepairMetricsTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Test
  @DisplayName("E48: requests that were never sent are not counted")
  void requests() {
    ModelMetrics metrics = new ModelMetrics(registry, List.of("one"));
    metrics.on(new ProviderRequestFinished("one", 0, false, 5, "one: outage", false, 0));
    metrics.on(new ProviderRequestFinished("one", 0, false, 5, "HTTP 400"));

    assertThat(registry.scrape())
        .contains(
            "holdfast_provider_requests_total{outcome=\"failed\",provider=\"one\","
                + "retried=\"false\"} 1.0");
  }

  @Test
  @DisplayName("E48: the iterations are those of runs that repaired")
  void iterations() {
    RepairMetrics metrics = new RepairMetrics(registry);
    stop(metrics, "nothing_to_repair", 0);
    stop(metrics, "verification_passed", 4);

    assertThat(registry.scrape())
        .contains("holdfast_repair_iterations_count 1", "holdfast_repair_iterations_sum 4.0")
        .contains("holdfast_repair_runs_stopped_total{reason=\"nothing_to_repair\"} 1.0");
  }

  private static void stop(RepairMetrics metrics, String reason, int iterations) {
    ObjectNode payload =
        JsonNodeFactory.instance.objectNode().put("reason", reason).put("iterations", iterations);
    metrics.on(new SessionEvent.Traced("RunStopped", payload));
  }
}
