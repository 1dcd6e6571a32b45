package dev.holdfast.llm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings for retries of a call (E1).
 *
 * @param maxRetries tries after the first; 0 for none
 * @param initialDelay before the first retry
 * @param maxDelay the longest delay, before the jitter
 * @param backoffFactor from one delay to the next, at least 1
 */
public record CallRetryOptions(
    int maxRetries, Duration initialDelay, Duration maxDelay, double backoffFactor) {
  public static final CallRetryOptions DEFAULTS =
      new CallRetryOptions(3, Duration.ofSeconds(1), Duration.ofSeconds(10), 2);

  public CallRetryOptions {
    if (maxRetries < 0 || initialDelay.isNegative() || maxDelay.isNegative()) {
      throw new IllegalArgumentException("retries and delays must not be negative");
    }
    if (!Double.isFinite(backoffFactor) || backoffFactor < 1) {
      throw new IllegalArgumentException("backoffFactor must be at least 1: " + backoffFactor);
    }
  }

  /** Changes to some of the settings; null keeps the setting as it was (E7). */
  public record Overrides(
      @Nullable Integer maxRetries,
      @Nullable Duration initialDelay,
      @Nullable Duration maxDelay,
      @Nullable Double backoffFactor) {
    public static final Overrides NONE = new Overrides(null, null, null, null);
  }

  public CallRetryOptions with(Overrides overrides) {
    return new CallRetryOptions(
        overrides.maxRetries() == null ? maxRetries : overrides.maxRetries(),
        overrides.initialDelay() == null ? initialDelay : overrides.initialDelay(),
        overrides.maxDelay() == null ? maxDelay : overrides.maxDelay(),
        overrides.backoffFactor() == null ? backoffFactor : overrides.backoffFactor());
  }

  /**
   * Returns the delay before a retry, without jitter (E5).
   *
   * @param retry from 1
   */
  Duration delay(int retry) {
    double millis = initialDelay.toMillis() * Math.pow(backoffFactor, retry - 1.0);
    return millis >= maxDelay.toMillis() ? maxDelay : Duration.ofMillis(Math.round(millis));
  }
}
