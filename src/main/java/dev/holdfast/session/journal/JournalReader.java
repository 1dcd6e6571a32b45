package dev.holdfast.session.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads journals for people. A session may be longer than the memory of who reads it, so only
 * {@link #rows} has all of it at once. Thread-safe.
 */
public interface JournalReader {
  /**
   * Shows all that was ever written in the sessions of a ticket, in order. No connection is held
   * meanwhile, so the reader may take its time.
   */
  void each(long ticketId, Consumer<JournalRow> reader);

  /** The newest rows, in order, as many as fit on a page; an entry that does not is "". */
  List<JournalRow> newest(long ticketId);

  /** Returns what all sessions of a ticket have used. */
  JournalTotal total(long ticketId);

  /** All that was ever written in the sessions of a ticket, in order. */
  default List<JournalRow> rows(long ticketId) {
    List<JournalRow> rows = new ArrayList<>();
    each(ticketId, rows::add);
    return rows;
  }
}
