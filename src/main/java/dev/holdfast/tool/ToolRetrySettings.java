package dev.holdfast.tool;

import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import java.time.Duration;

/**
 * The settings for retries of failed tools (C1-C3, C15).
 *
 * @param maxAttempts how often a tool runs at most, the first time included; 1 is no retry; {@code
 *     tools.max-retries}, default 3
 * @param baseDelay before the second attempt; doubles with each; default 0.5 s
 * @param maxDelay the longest delay before its jitter; default 5 s
 * @param jitter the largest part of a delay that is added to it at random; default 0.1
 */
public record ToolRetrySettings(
    int maxAttempts, Duration baseDelay, Duration maxDelay, double jitter) {
  private static final int DEFAULT_ATTEMPTS = 3;

  /**
   * @throws ConfigurationException if a value cannot be
   */
  public ToolRetrySettings {
    if (maxAttempts < 1) {
      throw new ConfigurationException(
          "tools.max-retries must be 1 (no retry) or more, but is " + maxAttempts);
    }
    if (baseDelay.isNegative() || maxDelay.isNegative() || jitter < 0 || jitter > 1) {
      throw new ConfigurationException(
          ("a tool's retry delays must not be negative and their jitter must be 0 to 1,"
                  + " but are %s, %s and %s")
              .formatted(baseDelay, maxDelay, jitter));
    }
  }

  public static ToolRetrySettings defaults() {
    return new ToolRetrySettings(
        DEFAULT_ATTEMPTS, Duration.ofMillis(500), Duration.ofSeconds(5), 0.1);
  }

  public ToolRetrySettings withMaxAttempts(int attempts) {
    return new ToolRetrySettings(attempts, baseDelay, maxDelay, jitter);
  }

  /**
   * Returns the delay after attempt {@code n}, counted from 1.
   *
   * @param random from 0 to 1: which part of the largest jitter is added
   */
  public Duration delay(int n, double random) {
    Duration delay = new Backoff(BackoffType.EXPONENTIAL, baseDelay).delay(n, maxDelay);
    return delay.plusNanos((long) (delay.toNanos() * jitter * random));
  }
}
