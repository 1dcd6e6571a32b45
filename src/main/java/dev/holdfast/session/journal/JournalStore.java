package dev.holdfast.session.journal;

/** Keeps the journals of tickets' sessions. Thread-safe. */
@FunctionalInterface
public interface JournalStore {
  /**
   * The journal of a ticket, for one attempt.
   *
   * @param leaseNo fences it: once a newer attempt has opened the ticket's journal, an append of
   *     this one throws and writes nothing
   */
  Journal open(long ticketId, long leaseNo);
}
