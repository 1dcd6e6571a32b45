package dev.holdfast.schedule;

import java.time.Duration;

/** Makes the tickets that are due. Safe to call in many processes at once. */
public interface ScheduleTicks {
  /**
   * Makes what is due now, each ticket once however many processes ask.
   *
   * @return how long nothing is due; at most {@code longest}
   * @throws dev.holdfast.queue.DatabaseUnavailableException if the database cannot be reached
   */
  Duration tick(Duration longest);
}
