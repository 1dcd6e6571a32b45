package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rate limits of one rotation through the targets (B26-B34). There is a wait only at the
 * end of a rotation in which every target was rate limited. Not thread-safe.
 */
final class Rotation {
  private final int targets;
  private final TurnWaits waits;
  private int tried;
  private int rateLimitedInCycle;
  private long maxRateLimitWaitMs;

  Rotation(int targets, TurnWaits waits) {
    this.targets = targets;
    this.waits = waits;
  }

  /** After a rate limit: the wait that is due now, in milliseconds; 0 for none. */
  long rateLimited(long suggestedMs) {
    rateLimitedInCycle++;
    maxRateLimitWaitMs = Math.max(maxRateLimitWaitMs, suggestedMs);
    return endOfAttempt();
  }

  /** After any other end of an attempt. */
  void otherwise() {
    endOfAttempt();
  }

  private long endOfAttempt() {
    if (++tried < targets) {
      return 0;
    }
    long due = rateLimitedInCycle == targets ? maxRateLimitWaitMs : 0;
    tried = 0;
    rateLimitedInCycle = 0;
    maxRateLimitWaitMs = 0;
    return due;
  }

  /**
   * The wait that one rate limit suggests (B26-B28).
   *
   * @param attempts tries within the turn so far
   */
  long suggestedMs(RetryDirective directive, CallResult.Failed failure, int attempts) {
    Long backoff = usable(directive.backoffMs());
    if (backoff != null) {
      return waits.clamp(backoff);
    }
    Duration hint = failure.retryAfter();
    return waits.clamp(hint != null && !hint.isNegative() ? hint.toMillis() : attempts * 1_000L);
  }

  /** Whole milliseconds; null for what is absent, no number or negative (B28). */
  static @Nullable Long usable(@Nullable Double millis) {
    return millis == null || !Double.isFinite(millis) || millis < 0 ? null : Math.round(millis);
  }
}
