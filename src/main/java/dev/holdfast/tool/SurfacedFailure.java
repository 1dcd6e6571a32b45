package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;

/**
 * A failure as people and models are shown it (C32, C34).
 *
 * @param text which tool, why, with which parameters, and how to go on
 */
public record SurfacedFailure(Severity severity, String text) {
  /** The whole text of something that a person stopped. */
  public static final String CANCELLED = "Cancelled";

  private static final int MAX_ARGUMENTS = 1000;

  /**
   * @param executions how often the tool ran
   */
  public static SurfacedFailure of(ToolCall call, Exception error, int executions) {
    Severity severity = Severity.of(error);
    if (severity == Severity.INFO) {
      return new SurfacedFailure(severity, CANCELLED);
    }
    String text =
        "Tool '"
            + call.name()
            + "' failed after "
            + (executions == 1 ? "1 attempt" : executions + " attempts")
            + ": "
            + ErrorLine.of(error)
            + "\nParameters: "
            + parameters(call)
            + "\nTo retry: "
            + advice(error);
    return new SurfacedFailure(severity, text);
  }

  /** The call may have taken effect and is not run again (C38). */
  static SurfacedFailure unknownEffect(ToolCall call, Exception error) {
    String text =
        "Tool '"
            + call.name()
            + "' did not answer, and may or may not have taken effect: "
            + ErrorLine.of(error)
            + "\nParameters: "
            + parameters(call)
            + "\nTo retry: find out first whether it took effect; it was not run again.";
    return new SurfacedFailure(Severity.ERROR, text);
  }

  private static String parameters(ToolCall call) {
    String arguments = BoundedText.of(call.arguments(), MAX_ARGUMENTS);
    return arguments.isBlank() ? "none" : arguments;
  }

  private static String advice(Exception error) {
    if (error instanceof ToolExecutionException failed && failed.suggestedFix() != null) {
      return failed.recoveryCommands().isEmpty()
          ? failed.suggestedFix()
          : failed.suggestedFix() + " Run: " + String.join("; ", failed.recoveryCommands());
    }
    return RetryRule.isNeverRetried(error)
        ? "change what the message names; the same call will fail again."
        : "call it again with the same or other parameters, or go on without it.";
  }
}
