package dev.holdfast.session.journal;

import dev.holdfast.session.report.Spent;
import java.util.List;

/**
 * Keeps the steps of a session. It writes every finished step before it begins the next one.
 * Append-only; used by the session's thread alone.
 */
public interface Journal {
  /** All entries in order; asked for once, when the session starts. */
  List<JournalEntry> entries();

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
   * Keeps what a call may have cost that was broken off, or that its retries were, if that can
   * still be kept: the attempt may be over, and what cannot be kept is dropped then.
   */
  default void appendLate(JournalEntry entry) {
    append(List.of(entry));
  }
}
