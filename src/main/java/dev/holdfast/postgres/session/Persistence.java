package dev.holdfast.postgres.session;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Repeats work that must not fail because the database is away for a moment. It must be safe to do
 * the work twice: the answer to the first time may be lost.
 *
 * <p>An interrupt closes the connection of a virtual thread, so it is put aside while the work
 * runs. Thread-safe.
 */
record Persistence(Sleeper sleeper) {
  private static final Duration FIRST_WAIT = Duration.ofMillis(100);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(8);
  private static final int TRIES = 14;
  private static final int TRIES_WHEN_INTERRUPTED = 3;

  /**
   * @throws DatabaseUnavailableException after about a minute of tries
   * @throws TicketBusyException after about a minute of tries
   */
  <T> T insist(Supplier<T> work) {
    return insist(work, TRIES);
  }

  /** Tries for a few seconds, as it does for an interrupted thread. */
  <T> T insistBriefly(Supplier<T> work) {
    return insist(work, TRIES_WHEN_INTERRUPTED);
  }

  private <T> T insist(Supplier<T> work, int most) {
    boolean interrupted = Thread.interrupted();
    try {
      for (int tries = 1; ; tries++) {
        try {
          return work.get();
        } catch (DatabaseUnavailableException | TicketBusyException e) {
          interrupted |= Thread.interrupted();
          giveUpAfter(interrupted ? TRIES_WHEN_INTERRUPTED : most, tries, e);
        }
        interrupted |= sleepOrInterrupted(tries);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void giveUpAfter(int most, int tries, HoldfastException e) {
    if (tries >= most) {
      throw e;
    }
  }

  private boolean sleepOrInterrupted(int tries) {
    try {
      Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(tries - 1, 10));
      sleeper.sleep(wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
