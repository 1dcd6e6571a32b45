package dev.holdfast.session;

/** How a terminal words the auto-retry (D31, D38). */
public final class RetryTexts {
  private RetryTexts() {}

  /** While it waits; the seconds are rounded. */
  public static String waiting(SessionEvent.AutoRetryStart start) {
    return waiting(start, "esc to cancel");
  }

  /**
   * Where no key is listened for.
   *
   * @param wayOut what ends the wait
   */
  public static String waiting(SessionEvent.AutoRetryStart start, String wayOut) {
    return "Retrying ("
        + start.attempt()
        + "/"
        + start.maxAttempts()
        + ") in "
        + Math.round(start.delayMs() / 1000.0)
        + "s… ("
        + wayOut
        + ")";
  }

  /** When it has failed. */
  public static String failed(SessionEvent.AutoRetryEnd end) {
    return "Retry failed after " + end.attempt() + " attempts: " + end.finalError();
  }
}
