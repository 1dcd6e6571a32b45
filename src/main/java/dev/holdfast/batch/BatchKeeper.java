package dev.holdfast.batch;

import java.time.Duration;

/**
 * Carries on with work on many tickets: ends batches, and takes releases to their next step. Safe
 * to call in many processes at once: one of them looks at a batch or a release at a time.
 */
public interface BatchKeeper {
  /**
   * Does what is due.
   *
   * @return when to call again
   * @throws dev.holdfast.queue.QueueUnavailableException if the database cannot be reached
   */
  Duration advance();
}
