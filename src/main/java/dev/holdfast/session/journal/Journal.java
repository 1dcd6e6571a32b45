package dev.holdfast.session.journal;

import dev.holdfast.session.report.Spent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps the steps of a session. It writes every finished step before it begins the next one.
 * Append-only; used by the session's thread alone.
 */
public interface Journal {
  /**
   * Shows all entries in order; called once, when the session starts. The entries are not all in
   * memory at once, because a conversation is made smaller while it lasts and its journal never is.
   */
  void each(Consumer<JournalEntry> reader);

  /** All entries in order. */
  default List<JournalEntry> entries() {
    List<JournalEntry> entries = new ArrayList<>();
    each(entries::add);
    return entries;
  }

  /** The use of the sessions that were given up before this one: it counts for the ticket. */
  default Spent spentBefore() {
    return Spent.NOTHING;
  }

  /**
   * Keeps the entries for good, all or none, before it returns. What it throws ends the session:
   * nothing may run that could not be written down.
   */
  void append(List<JournalEntry> entries);

  /**
   * Keeps what a call that was broken off may have cost, or that its retries were broken off, if
   * that can still be kept. The attempt may be over; then what cannot be kept is dropped.
   */
  default void appendLate(JournalEntry entry) {
    append(List.of(entry));
  }
}
