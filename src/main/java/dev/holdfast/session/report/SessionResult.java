package dev.holdfast.session.report;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.approval.PendingCall;
import dev.holdfast.tool.ToolReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a session. */
public sealed interface SessionResult {
  /**
   * The model reported. A report of status failure is a failed attempt of the ticket all the same.
   *
   * @param source never synthetic
   * @param turn that brought it
   */
  record Reported(FinalReport report, ReportSource source, int turn) implements SessionResult {}

  /**
   * There is no report of the model's, so there is a synthetic one (B53-B57).
   *
   * @param error the last error, with the true cause where an outer bound cut an inner retry
   * @param category for the ticket layer (composition 9); null where the error itself must say
   * @param report of status failure: what happened, what it has cost and what a person can do
   * @param exhaustedBy the layer that has used up its retries on it; null where none did
   * @param usedUp the bound, where {@link SessionExitCode#COST_LIMIT} is the exit; null otherwise
   * @param last the failed call behind it; null where there is none
   * @param cause what a call threw; null where none did
   */
  record Failed(
      SessionExitCode exit,
      String error,
      @Nullable Category category,
      FinalReport report,
      ReportMetadata metadata,
      @Nullable Exhausted exhaustedBy,
      @Nullable UsedUp usedUp,
      CallResult.@Nullable Failed last,
      @Nullable Throwable cause)
      implements SessionResult {
    /**
     * The error that the ticket layer classifies: the report's words. It carries the status and the
     * Retry-After upward.
     */
    public ErrorReport errorReport() {
      return new ErrorReport(
          report.content() == null ? error : report.content(),
          cause,
          last == null ? null : last.httpStatus(),
          null,
          category,
          last == null || last.retryAfter() == null || last.retryAfter().isNegative()
              ? null
              : last.retryAfter());
    }
  }

  /**
   * No target is to be called now: a session over the same journal goes on from here, once one may.
   *
   * @param error of the call that found it out; null where none was made
   * @param last that call
   */
  record StoodStill(Standstill why, @Nullable String error, CallResult.@Nullable Failed last)
      implements SessionResult {}

  /** Stopped gracefully; a session over the same journal goes on from here. */
  record Stopped() implements SessionResult {}

  /** Cancelled, or its thread was interrupted; no failure, and it can go on as well. */
  record Cancelled() implements SessionResult {}

  /**
   * Calls wait for a person's word. Nothing of their answer has run; a later execution goes on with
   * it once all of them are decided.
   */
  record AwaitsApproval(List<PendingCall> calls) implements SessionResult {
    public AwaitsApproval {
      calls = List.copyOf(calls);
    }
  }

  /**
   * Calls may or may not have taken effect and must not run again: a person decides. The
   * conversation says so to the model, so a later execution goes on without repeating them.
   *
   * @param replies with no execution where an earlier process had begun the call and ended
   */
  record UnknownEffect(List<ToolReply> replies) implements SessionResult {
    public UnknownEffect {
      replies = List.copyOf(replies);
    }

    public List<ToolCall> calls() {
      return replies.stream().map(ToolReply::call).toList();
    }
  }
}
