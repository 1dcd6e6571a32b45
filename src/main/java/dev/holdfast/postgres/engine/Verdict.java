package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.retry.RetryDecision;

/**
 * What becomes of one execution that failed.
 *
 * @param ruling the part of the decision that other executions share
 */
record Verdict(TicketLease key, RetryDecision decision, Ruling ruling) {
  Failure failure() {
    return decision.classification();
  }
}
