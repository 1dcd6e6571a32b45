package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.retry.RetryDecision;

/**
 * One execution that failed, and the decision on it.
 *
 * @param shared the part of the decision that other executions share
 */
record DecidedFailure(TicketLease key, RetryDecision decision, SharedDecision shared) {
  Failure failure() {
    return decision.classification();
  }
}
