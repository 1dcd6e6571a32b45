package dev.holdfast.worker;

import dev.holdfast.queue.DatabaseUnavailableException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

/**
 * Decides whether an attempt that did not reach a database is excused, because the worker's own
 * database was away. Thread-safe.
 */
final class Outages implements LongPredicate {
  /** The number of tickets that are remembered. More at one time are one outage. */
  private static final int REMEMBERED = 10_000;

  private final BooleanSupplier healthy;
  private final Runnable probe;
  private final Set<Long> excused = new HashSet<>();

  /**
   * @param healthy whether heartbeats succeed
   * @param probe asks the database for something; throws if it does not answer
   */
  Outages(BooleanSupplier healthy, Runnable probe) {
    this.healthy = healthy;
    this.probe = probe;
  }

  /**
   * Believes a ticket once: an outage may be over before anybody else has seen it. A ticket that
   * reports one again is not believed: with a closed connection, or a database of its own, it would
   * run for ever.
   */
  @Override
  public boolean test(long ticketId) {
    return !healthy.getAsBoolean() || isFirst(ticketId) || isAway();
  }

  private synchronized boolean isFirst(long ticketId) {
    if (excused.size() >= REMEMBERED) {
      excused.clear();
    }
    return excused.add(ticketId);
  }

  private boolean isAway() {
    try {
      probe.run();
      return false;
    } catch (RuntimeException e) {
      return DatabaseUnavailableException.isAway(e);
    }
  }
}
