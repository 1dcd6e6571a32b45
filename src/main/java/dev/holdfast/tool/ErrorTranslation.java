package dev.holdfast.tool;

/** Translates what a tool throws for the executor (C16, C17). */
final class ErrorTranslation {
  private ErrorTranslation() {}

  /**
   * Returns the same exception where it already says what happened or must not be retried.
   * Otherwise returns a {@link ToolExecutionException} that keeps it as its cause.
   */
  static Exception of(String toolName, Exception error) {
    if (error instanceof ToolExecutionException
        || error instanceof FileOperationException
        || RetryRule.isNeverRetried(error)) {
      return error;
    }
    return new ToolExecutionException(
        "Tool '" + toolName + "' failed: " + ErrorLine.of(error), error);
  }
}
