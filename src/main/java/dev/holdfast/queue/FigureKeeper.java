package dev.holdfast.queue;

import java.time.Duration;

/**
 * Counts what has happened, for those who look at figures by time. Safe to call in many processes
 * at once: one counts, the others do nothing.
 */
public interface FigureKeeper {
  /**
   * Counts on from where the last count ended, at most a quarter of an hour of the database's time.
   *
   * @return when to call again; it grows with what counting costs
   * @throws QueueUnavailableException if the database cannot be reached
   */
  Duration count();
}
