package dev.holdfast.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.report.Spent;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SessionMetricsTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final SessionMetrics metrics = new SessionMetrics(registry);

  private static SessionEvent accepted(ReportSource source, String reason, int turn) {
    FinalReport report = new FinalReport(FinalReport.Status.FAILURE, "x", null);
    return new SessionEvent.ReportAccepted(report, source, reason, turn);
  }

  @Test
  @DisplayName("B64, B68: accepted reports by source, status and reason")
  void reports() {
    metrics.on(accepted(ReportSource.TOOL_CALL, "max_turns", 3));
    metrics.on(accepted(ReportSource.SYNTHETIC, "llm_error", 1));

    assertThat(registry.scrape())
        .contains(
            "ai_agent_final_report_total{forced_final_reason=\"max_turns\",source=\"tool-call\","
                + "status=\"failure\"} 1.0")
        .contains(
            "ai_agent_final_report_total{forced_final_reason=\"llm_error\",source=\"synthetic\","
                + "status=\"failure\"} 1.0");
  }

  @Test
  @DisplayName("B65: the attempts of all sessions add up")
  void attempts() {
    metrics.on(new SessionEvent.Finished(new SessionResult.Stopped(), 2, Spent.NOTHING));
    metrics.on(new SessionEvent.Finished(new SessionResult.Stopped(), 1, Spent.NOTHING));

    assertThat(registry.scrape()).contains("ai_agent_final_report_attempts_total 3.0");
  }

  @Test
  @DisplayName("B66: the turns that brought the reports are a histogram")
  void turns() {
    metrics.on(accepted(ReportSource.TOOL_CALL, "none", 4));

    assertThat(registry.scrape())
        .contains("ai_agent_final_report_turns_bucket{le=\"3.0\"} 0")
        .contains("ai_agent_final_report_turns_bucket{le=\"5.0\"} 1")
        .contains("ai_agent_final_report_turns_sum 4.0");
  }

  @Test
  @DisplayName("B67: collapses by reason, all of them from the start")
  void collapses() {
    metrics.on(new SessionEvent.Collapsed("incomplete_final_report", 2, 10, 3));

    assertThat(registry.scrape())
        .contains("ai_agent_retry_collapse_total{reason=\"incomplete_final_report\"} 1.0")
        .contains("ai_agent_retry_collapse_total{reason=\"final_report_attempt\"} 0.0")
        .contains("ai_agent_retry_collapse_total{reason=\"loop\"} 0.0");
  }

  @Test
  @DisplayName("Composition 2: retries of what was retried to exhaustion are counted")
  void amplification() {
    metrics.on(new SessionEvent.RetryAmplified("session"));

    assertThat(registry.scrape())
        .contains("holdfast_retry_amplification_total{layer=\"session\"} 1.0");
  }
}
