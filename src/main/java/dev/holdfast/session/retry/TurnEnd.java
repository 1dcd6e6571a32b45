package dev.holdfast.session.retry;

import dev.holdfast.llm.Standstill;
import dev.holdfast.session.approval.PendingCall;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.tool.ToolReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a turn. */
public sealed interface TurnEnd {
  /** Its tools have run; the next turn comes. */
  record Continue() implements TurnEnd {}

  /** The model has reported through the tool. */
  record Reported(FinalReport report) implements TurnEnd {}

  /** Replies of calls that may or may not have taken effect. */
  record UnknownEffect(List<ToolReply> replies) implements TurnEnd {}

  /** Calls that a person has to allow first. */
  record AwaitsApproval(List<PendingCall> calls) implements TurnEnd {}

  /** The attempts are used up, and the last one brought an answer of no use. */
  record Invalid(TurnError error, int attempts) implements TurnEnd {}

  /** The attempts are used up, and the last one failed: the documented stopReason error. */
  record Errored(TurnError error, int attempts) implements TurnEnd {}

  /** The conversation does not fit the model's window. */
  record Overflow(TurnError error) implements TurnEnd {}

  /** Nothing is tried any more. */
  record Fatal(SessionExitCode exit, TurnError error) implements TurnEnd {}

  /**
   * No target is to be called now.
   *
   * @param error of the call that found it out; null where none was made
   */
  record StoodStill(Standstill why, @Nullable TurnError error) implements TurnEnd {}

  /** Stopped or cancelled; {@link StopSignal} knows which. */
  record Aborted() implements TurnEnd {}

  /** Returns the status in one word, for events. */
  default String status() {
    return switch (this) {
      case Continue each -> "ok";
      case Reported each -> "reported";
      case UnknownEffect each -> "unknown_effect";
      case AwaitsApproval each -> "awaits_approval";
      case Invalid each -> each.error().type();
      case Errored each -> each.error().type();
      case Overflow each -> each.error().type();
      case Fatal each -> each.error().type();
      case StoodStill each -> "standstill";
      case Aborted each -> "aborted";
    };
  }
}
