package dev.holdfast.session.event;

import java.time.Duration;

/** Words on a terminal for the auto-retry (D31, D38). */
public final class RetryTexts {
  private RetryTexts() {}

  /**
   * The text of a wait; the seconds are rounded.
   *
   * @param wayOut what ends the wait
   */
  public static String waiting(SessionEvent.AutoRetryStart start, String wayOut) {
    return "Retrying (%s/%s) in %ss… (%s)"
        .formatted(
            start.attempt(), start.maxAttempts(), Math.round(start.delayMs() / 1000.0), wayOut);
  }

  /** The text of a retry that is put off: the ticket waits, and a later session makes the retry. */
  public static String deferred(SessionEvent.AutoRetryDeferred end) {
    Duration delay = end.delay();
    return "Retry %s is put off%s: %s"
        .formatted(
            end.attempt(),
            delay == null ? "" : " for " + Math.max(1, Math.round(delay.toMillis() / 1000.0)) + "s",
            end.why());
  }

  /** The text of a retry that has failed. */
  public static String failed(SessionEvent.AutoRetryEnd end) {
    return "Retry failed after " + end.attempt() + " attempts: " + end.finalError();
  }
}
