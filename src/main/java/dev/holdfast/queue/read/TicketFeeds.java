package dev.holdfast.queue.read;

import java.util.Optional;

/** Opens feeds of all tickets. Thread-safe. */
public interface TicketFeeds {
  /** At the present. */
  TicketFeed open();

  /**
   * At the position of an event that was told.
   *
   * @return empty for what is no position, or for one that is too long ago to be read again
   */
  Optional<TicketFeed> openAt(String position);
}
