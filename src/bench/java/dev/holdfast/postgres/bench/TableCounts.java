package dev.holdfast.postgres.bench;

import dev.holdfast.ticket.HoldfastException;

/**
 * The counts in the tables after a run. A rate counts only if they are as they should be.
 *
 * @param finished the tickets at rest whose fence is the lease of a succeeded attempt
 * @param attempts attempt rows in all
 * @param waiting tickets that are ready or in progress
 * @param leases lease rows that are left
 */
public record TableCounts(long finished, long attempts, long waiting, long leases) {
  /**
   * @param run the name of what was measured, for the message
   * @throws HoldfastException if these are not the expected counts
   */
  public void require(String run, TableCounts expected) {
    if (!equals(expected)) {
      throw new HoldfastException(
          run
              + " is void, the tables are not as they should be: expected "
              + expected
              + ", found "
              + this);
    }
  }
}
