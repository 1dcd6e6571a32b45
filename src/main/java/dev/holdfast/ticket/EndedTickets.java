package dev.holdfast.ticket;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/** Finds out which tickets are over. Reads only. Thread-safe. */
public interface EndedTickets {
  /**
   * A ticket as it is known outside the database.
   *
   * @param createdSecond when it was made, in whole seconds since 1970: another database has a
   *     ticket with this number too
   */
  record Key(long id, long createdSecond) {}

  /**
   * Returns the tickets that have been done or cancelled for this long, by the database's clock. A
   * ticket that the database does not know is not among them.
   *
   * @throws HoldfastException if the database cannot be reached
   */
  Set<Key> endedFor(Duration age, Collection<Key> tickets);
}
