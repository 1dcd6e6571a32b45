package dev.holdfast.session.retry;

import java.time.Duration;

/**
 * Retries of a turn that ended in an error (D26).
 *
 * @param enabled whether there are any; can be changed while a session runs (D33)
 * @param maxRetries retries of one turn; its first run does not count
 * @param baseDelay the first wait; each further one is twice as long (D13)
 * @param wholeNumbers whether 429 and 50x count only as whole numbers, so that "limit of 5000 rows"
 *     is no server error (D7); off by default
 * @param skipIfExhaustedBelow passes an error up at once that the turn has retried to exhaustion
 */
public record AutoRetrySettings(
    boolean enabled,
    int maxRetries,
    Duration baseDelay,
    boolean wholeNumbers,
    boolean skipIfExhaustedBelow) {
  public static final AutoRetrySettings DEFAULT =
      new AutoRetrySettings(true, 3, Duration.ofMillis(2_000), false, false);

  public AutoRetrySettings {
    if (maxRetries < 0 || baseDelay.isNegative()) {
      throw new IllegalArgumentException(
          "retries and base delay must not be negative: " + maxRetries + ", " + baseDelay);
    }
  }

  public AutoRetrySettings withEnabled(boolean on) {
    return new AutoRetrySettings(on, maxRetries, baseDelay, wholeNumbers, skipIfExhaustedBelow);
  }
}
