package dev.holdfast.postgres;

/** What becomes of one execution that failed. */
record Verdict(TicketLease key, Ruling ruling) {}
