package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;

/**
 * Makes the text of a failure for models (C34): which tool, why, with which parameters, and what
 * next.
 */
final class SurfacedFailure {
  private static final int MAX_ARGUMENTS = 1000;

  private SurfacedFailure() {}

  /**
   * @param executions how often the tool ran
   */
  static String of(ToolCall call, Exception error, int executions) {
    return "Tool '%s' failed after %s: %s\nParameters: %s\nTo retry: %s"
        .formatted(
            call.name(),
            executions == 1 ? "1 attempt" : executions + " attempts",
            ErrorLine.of(error),
            parameters(call),
            advice(error));
  }

  /** Makes the text for a call that may have taken effect and is not run again (C38). */
  static String unknownEffect(ToolCall call, Exception error) {
    return ("Tool '%s' did not answer, and may or may not have taken effect: %s\nParameters:"
            + " %s\nTo retry: find out first whether it took effect; it was not run again.")
        .formatted(call.name(), ErrorLine.of(error), parameters(call));
  }

  private static String parameters(ToolCall call) {
    String arguments = BoundedText.of(call.arguments(), MAX_ARGUMENTS);
    return arguments.isBlank() ? "none" : arguments;
  }

  private static String advice(Exception error) {
    String hint = ToolTrouble.of(error).advice();
    if (hint != null) {
      return hint;
    }
    return RetryRule.isNeverRetried(error)
        ? "change what the message names; the same call will fail again."
        : "call it again with the same or other parameters, or go on without it.";
  }
}
