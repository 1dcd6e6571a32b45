package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import org.jspecify.annotations.Nullable;

/**
 * The reply to one tool call.
 *
 * @param content what the model is shown; bounded, and says so where something was cut
 * @param executions how often the tool ran; 0 where the call was refused before
 * @param trouble of a failed tool; null where none failed, and in journals of older workers
 */
public record ToolReply(
    ToolCall call, Outcome outcome, String content, int executions, @Nullable ToolTrouble trouble) {
  /** The end of a call. */
  public enum Outcome {
    OK,
    /** The tool asks the model to correct its call (C19): no failure of the tool. */
    MODEL_RETRY,
    /** Failed after its retries, or must not be retried. */
    FAILED,
    /** It may or may not have taken effect, and must not run again (C38). */
    UNKNOWN_EFFECT
  }

  /** Makes a reply of a call that left no trouble. */
  public ToolReply(ToolCall call, Outcome outcome, String content, int executions) {
    this(call, outcome, content, executions, null);
  }
}
