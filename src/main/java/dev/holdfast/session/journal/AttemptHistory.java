package dev.holdfast.session.journal;

import java.util.List;

/** The failed attempts of a ticket. Thread-safe. */
@FunctionalInterface
public interface AttemptHistory {
  /**
   * An attempt that failed.
   *
   * @param category of its error
   * @param error as it was stored
   * @param tools what it called, such as {@code run_command 3 times (2 failed)}; "" for nothing
   */
  record Failed(int attempt, long leaseNo, String category, String error, String tools) {}

  /** Those that failed since the session last started over, oldest first. */
  List<Failed> failed(long ticketId);
}
