package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.TicketLease;

/** One execution that failed, and the decision on it. */
record DecidedFailure(TicketLease key, FailureDecision decision) {}
