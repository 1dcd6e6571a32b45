package dev.holdfast.session.journal;

import java.util.List;

/** What people see of the journals. Thread-safe. */
@FunctionalInterface
public interface JournalReader {
  /** All that was ever written in the sessions of a ticket, in order. */
  List<JournalRow> rows(long ticketId);
}
