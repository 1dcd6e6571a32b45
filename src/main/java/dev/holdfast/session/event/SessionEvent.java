package dev.holdfast.session.event;

import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.report.Spent;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolRetrying;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** An event of a session, sent as it happens. */
public sealed interface SessionEvent {
  /**
   * Something that happened in work which is no conversation, such as a repair.
   *
   * @param type of the trace event
   * @param payload of it, short
   */
  record Traced(String type, ObjectNode payload) implements SessionEvent {}

  /** The level of a line of the log; FIN ends a session. */
  enum Level {
    WRN,
    ERR,
    FIN
  }

  record TurnStarted(int turn, int maxTurns) implements SessionEvent {}

  /**
   * The one accounting entry of an attempt (B70, B72).
   *
   * @param attempt of this turn, from 1
   * @param status ok, why an answer was discarded, a failure's kind, "error", or "aborted"
   * @param costUsd null where nothing came or the model has no price
   * @param error null where it succeeded
   * @param backoff the wait before the next attempt; zero for none
   */
  record AttemptFinished(
      int turn,
      int attempt,
      Target target,
      String status,
      Usage usage,
      @Nullable BigDecimal costUsd,
      Duration latency,
      @Nullable String error,
      Duration backoff)
      implements SessionEvent {}

  /**
   * A run of a turn is over (B71).
   *
   * @param inRetryLoop from the first attempt to the end of the turn, tools included
   */
  record TurnFinished(int turn, int attempts, String status, Duration inRetryLoop)
      implements SessionEvent {}

  /**
   * A line of the log.
   *
   * @param source such as agent:retry
   */
  record Logged(Level level, String source, String message) implements SessionEvent {}

  /** The last turn comes earlier (B48). */
  record Collapsed(String reason, int turn, int previousMaxTurns, int newMaxTurns)
      implements SessionEvent {}

  record ToolsStarted(int turn, List<ToolCall> calls) implements SessionEvent {}

  /** A tool's first execution is about to begin; sent on a thread of the tool's own. */
  record ToolStarted(int turn, ToolCall call) implements SessionEvent {}

  /** A tool failed and runs again after a wait (C33); sent on a thread of the tool's own. */
  record ToolRetry(int turn, ToolRetrying retry) implements SessionEvent {}

  record ToolFinished(int turn, ToolReply reply) implements SessionEvent {}

  /**
   * A person or a stopping worker has ended a batch of tools (C30, C32).
   *
   * @param calls those that had no result yet
   */
  record ToolsCancelled(int turn, List<ToolCall> calls) implements SessionEvent {}

  /** A piece of an answer that is being written. */
  record Text(String piece) implements SessionEvent {}

  /** A piece of what the model thinks aloud. */
  record Reasoning(String piece) implements SessionEvent {}

  /**
   * A final report was accepted (B64, B66, B68).
   *
   * @param forcedFinalReason "none", "max_turns" or "context"; of a synthetic report its reason
   */
  record ReportAccepted(FinalReport report, ReportSource source, String forcedFinalReason, int turn)
      implements SessionEvent {}

  /**
   * @param summarised false where older turns were only elided
   */
  record ContextCompacted(long tokensBefore, long tokensAfter, boolean summarised)
      implements SessionEvent {}

  /**
   * A wait begins that a person may end (D27).
   *
   * @param ofRetry false where it is for the end of a cool-down
   */
  record WaitStarted(boolean ofRetry) implements SessionEvent {}

  /** That wait is over, whatever the reason. */
  record WaitEnded() implements SessionEvent {}

  /** The wait of an auto-retry is about to begin (D16, D36). */
  record AutoRetryStart(int attempt, int maxAttempts, long delayMs, String errorMessage)
      implements SessionEvent {}

  /**
   * The end of a chain of auto-retries (D36).
   *
   * @param finalError null on success
   */
  record AutoRetryEnd(boolean success, int attempt, @Nullable String finalError)
      implements SessionEvent {}

  /**
   * The end of a chain of auto-retries that has neither succeeded nor failed: the ticket is put
   * off, and a later session goes on with the turn (D22).
   *
   * @param attempt the retry that was not made to its end
   * @param delay until the ticket is ready again; null where that is not known: a person has to act
   *     first, or the next free worker takes the ticket
   * @param why what it waits for, such as "openai: rate_limit"
   */
  record AutoRetryDeferred(int attempt, @Nullable Duration delay, String why)
      implements SessionEvent {}

  /**
   * A layer retries what a layer below has retried to exhaustion (composition, guard 2).
   *
   * @param layer that retries again
   */
  record RetryAmplified(String layer) implements SessionEvent {}

  /**
   * @param finalReportAttempts of this execution (B65)
   */
  record Finished(SessionResult result, int finalReportAttempts, Spent spent)
      implements SessionEvent {}
}
