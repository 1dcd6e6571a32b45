package dev.holdfast.web.webhook;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long holds wait for others, to be told of in one message. While holds keep coming the wait is
 * doubled with each message, so that a storm of an hour is some messages, not hundreds; after a
 * pause it is short again.
 */
final class GroupWait {
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final Duration shortest;
  private Duration wait;
  private @Nullable Instant since;
  private @Nullable Instant toldAt;

  GroupWait(Duration shortest) {
    this.shortest = shortest;
    this.wait = shortest;
  }

  /** Returns true if the holds that are there have waited long enough. */
  boolean isOver(Instant now) {
    Instant first = since;
    if (first == null || now.isBefore(first)) {
      first = now;
      since = now;
      wait = next(now);
    }
    return !now.isBefore(first.plus(wait));
  }

  private Duration next(Instant now) {
    boolean isStorm = toldAt != null && !now.isBefore(toldAt) && now.isBefore(toldAt.plus(wait));
    if (!isStorm || shortest.compareTo(LONGEST) >= 0) {
      return shortest;
    }
    Duration doubled = wait.multipliedBy(2);
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }

  /** Notes that no holds wait. */
  void none() {
    since = null;
  }

  /** Notes that the holds were told of. */
  void told(Instant now) {
    since = null;
    toldAt = now;
  }
}
