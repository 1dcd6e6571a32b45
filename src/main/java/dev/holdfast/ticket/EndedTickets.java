package dev.holdfast.ticket;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/** Finds out which tickets are over. Reads only. Thread-safe. */
public interface EndedTickets {
  /**
   * A ticket as it is known outside of the database.
   *
   * @param createdSecond when it was made, in whole seconds since 1970: another database has a
   *     ticket of this number too
   */
  record Key(long id, long createdSecond) {}

  /**
   * Returns those that have been done or cancelled for so long, by the database's clock. One that
   * the database does not know is not among them.
   *
   * @throws HoldfastException if the database cannot be reached
   */
  Set<Key> endedFor(Duration age, Collection<Key> tickets);
}
