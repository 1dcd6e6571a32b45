package dev.holdfast.queue;

import java.time.Duration;

/**
 * The time that finished tickets are kept, with their attempts and activity; zero keeps them for
 * ever. Tickets on hold or in review are always kept.
 */
public record Retention(Duration done, Duration cancelled, Duration stoppedWorkers) {
  /** The longest time: the database can still count it back from now. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  public Retention {
    check("done tickets", done);
    check("cancelled tickets", cancelled);
    check("stopped workers", stoppedWorkers);
  }

  private static void check(String what, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(what + " cannot be kept for " + time);
    }
    if (time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          what + " are kept for 36500 days at most; zero keeps them for ever");
    }
  }
}
