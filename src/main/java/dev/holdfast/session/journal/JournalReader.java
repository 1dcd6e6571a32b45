package dev.holdfast.session.journal;

import java.util.List;

/** Reads journals for people. Thread-safe. */
@FunctionalInterface
public interface JournalReader {
  /** All that was ever written in the sessions of a ticket, in order. */
  List<JournalRow> rows(long ticketId);
}
