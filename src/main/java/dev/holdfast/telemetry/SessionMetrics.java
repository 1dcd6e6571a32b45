package dev.holdfast.telemetry;

import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/**
 * Counts what sessions do (B64 to B68, and the amplification of retries). The usual series exist
 * from the start, so that the first scrape shows zeros. Thread-safe; all sessions share one.
 */
public final class SessionMetrics implements SessionListener {
  private static final double[] TURN_BUCKETS = {1, 2, 3, 5, 10, 20, 50, 100};

  private final MeterRegistry registry;
  private final Counter reportAttempts;
  private final DistributionSummary reportTurns;

  public SessionMetrics(MeterRegistry registry) {
    this.registry = registry;
    reportAttempts =
        Counter.builder("ai.agent.final.report.attempts")
            .description("Final reports that models tried to give, refused ones included.")
            .register(registry);
    reportTurns =
        DistributionSummary.builder("ai.agent.final.report.turns")
            .description("The turn that brought the final report.")
            .serviceLevelObjectives(TURN_BUCKETS)
            .register(registry);
    List.of(FinalReport.Status.values())
        .forEach(status -> reports(ReportSource.TOOL_CALL, status, "none"));
    List.of("max_turns", "context", "llm_error")
        .forEach(reason -> reports(ReportSource.SYNTHETIC, FinalReport.Status.FAILURE, reason));
    List.of("incomplete_final_report", "final_report_attempt", "loop").forEach(this::collapses);
    amplifications("session");
  }

  @Override
  public void on(SessionEvent event) {
    switch (event) {
      case SessionEvent.ReportAccepted each -> {
        reports(each.source(), each.report().status(), each.forcedFinalReason()).increment();
        reportTurns.record(each.turn());
      }
      case SessionEvent.Finished each -> reportAttempts.increment(each.finalReportAttempts());
      case SessionEvent.Collapsed each -> collapses(each.reason()).increment();
      case SessionEvent.RetryAmplified each -> amplifications(each.layer()).increment();
      default -> {
        // The other events are for the log and the live stream.
      }
    }
  }

  private Counter reports(ReportSource source, FinalReport.Status status, String reason) {
    return Counter.builder("ai.agent.final.report")
        .description("Final reports, by where they came from and what they say.")
        .tag("source", source.wireName())
        .tag("status", status.wireName())
        .tag("forced_final_reason", reason)
        .register(registry);
  }

  private Counter collapses(String reason) {
    return Counter.builder("ai.agent.retry.collapse")
        .description("Sessions whose last turn was brought forward.")
        .tag("reason", reason)
        .register(registry);
  }

  private Counter amplifications(String layer) {
    return Counter.builder("holdfast.retry.amplification")
        .description("Retries of what a layer below had retried to exhaustion.")
        .tag("layer", layer)
        .register(registry);
  }
}
