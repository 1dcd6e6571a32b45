package dev.holdfast.protocol;

/** One claim of one ticket: what a worker believes to hold, rightly or not. */
record Execution(long ticket, long lease) {}
