package dev.holdfast.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.account.Scope;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AccountMetricsTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Test
  @DisplayName("22.1: closed providers and outages stay numbers when only the registry knows them")
  void gaugesAreHeld() {
    WeakReference<AccountMetrics> metrics = new WeakReference<>(registered());
    while (metrics.get() != null) {
      System.gc();
    }
    assertThat(registry.scrape())
        .contains("holdfast_providers_closed 1.0")
        .contains("holdfast_provider_outage_seconds{provider=\"openai\"} 3.0")
        .doesNotContain("NaN");
  }

  /** In a frame of its own: nobody else holds what it makes. */
  private AccountMetrics registered() {
    List<Scope> closed = new ArrayList<>(List.of(new Scope("openai", "", "")));
    Duration outage = Duration.ofSeconds(3);
    AccountMetrics metrics = new AccountMetrics(registry, () -> List.copyOf(closed));
    metrics.watchOutages(Set.of("openai"), provider -> outage);
    return metrics;
  }
}
