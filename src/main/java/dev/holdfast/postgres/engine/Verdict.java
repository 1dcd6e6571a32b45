package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.TicketLease;

/** What becomes of one execution that failed. */
record Verdict(TicketLease key, Ruling ruling) {}
