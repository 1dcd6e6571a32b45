package dev.holdfast.worker.output;

import dev.holdfast.ticket.ClaimedTicket;
import java.util.Map;

/** Follows what programs print. Thread-safe. */
@FunctionalInterface
public interface OutputFollower {
  /** An output that is followed until it is closed, once the program has ended. */
  @FunctionalInterface
  interface Followed extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Begins to follow the program of an attempt.
   *
   * @param hidden values that nobody may read, with their names, in addition to the worker's own
   *     secrets
   */
  Followed follow(
      ClaimedTicket claimed, Map<String, String> hidden, OutputSource stdout, OutputSource stderr);
}
