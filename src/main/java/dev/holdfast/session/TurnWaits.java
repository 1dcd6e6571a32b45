package dev.holdfast.session;

import java.time.Duration;

/**
 * How long the turn runner waits between attempts (B25).
 *
 * @param rateLimitMin the shortest wait after a rotation in which every target was rate limited
 * @param rateLimitMax the longest such wait
 * @param afterNetworkErrors whether timeouts and network errors without a directive wait too, one
 *     second more at each attempt, up to 30 (B41); off by default
 */
public record TurnWaits(Duration rateLimitMin, Duration rateLimitMax, boolean afterNetworkErrors) {
  public static final long RATE_LIMIT_MIN_WAIT_MS = 1_000;
  public static final long RATE_LIMIT_MAX_WAIT_MS = 60_000;

  public static final TurnWaits DEFAULT =
      new TurnWaits(
          Duration.ofMillis(RATE_LIMIT_MIN_WAIT_MS),
          Duration.ofMillis(RATE_LIMIT_MAX_WAIT_MS),
          false);

  public TurnWaits {
    if (rateLimitMin.isNegative() || rateLimitMax.compareTo(rateLimitMin) < 0) {
      throw new IllegalArgumentException(
          "rate limit waits must be 0 or more and in order: " + rateLimitMin + ", " + rateLimitMax);
    }
  }

  /** Brings a wait between the two bounds. */
  long clamp(long millis) {
    return Math.clamp(millis, rateLimitMin.toMillis(), rateLimitMax.toMillis());
  }
}
