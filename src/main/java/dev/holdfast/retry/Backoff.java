package dev.holdfast.retry;

import java.time.Duration;

/** A growing delay. Saturates instead of overflowing and is never negative (A25). */
public record Backoff(BackoffType type, Duration base) {
  private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

  public Backoff {
    if (base.isNegative()) {
      throw new IllegalArgumentException("base delay must not be negative: " + base);
    }
  }

  /**
   * Returns the delay before retry number {@code n}, counted from 1 (A19); a smaller n counts as 1.
   *
   * @param cap the longest delay that comes out
   */
  public Duration delay(int n, Duration cap) {
    long retry = Math.max(1, n);
    Duration delay =
        switch (type) {
          case NONE -> Duration.ZERO;
          case LINEAR -> times(retry);
          case EXPONENTIAL -> retry > 62 ? times(Long.MAX_VALUE) : times(1L << (retry - 1));
        };
    return delay.compareTo(cap) > 0 ? cap : delay;
  }

  private Duration times(long factor) {
    if (base.compareTo(LONGEST) > 0) {
      return LONGEST;
    }
    long millis = base.toMillis();
    if (millis == 0) {
      return Duration.ZERO;
    }
    return factor > Long.MAX_VALUE / millis ? LONGEST : Duration.ofMillis(millis * factor);
  }
}
