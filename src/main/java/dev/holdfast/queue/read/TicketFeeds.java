package dev.holdfast.queue.read;

import java.util.Optional;

/** Opens feeds of all tickets. Thread-safe. */
public interface TicketFeeds {
  /** Opens a feed at the present. */
  TicketFeed open();

  /**
   * Opens a feed at the position of an event.
   *
   * @return empty for a text that is no position, or for one too long ago to be read again
   */
  Optional<TicketFeed> openAt(String position);
}
