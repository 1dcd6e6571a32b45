package dev.holdfast.queue.read;

import java.util.List;

/**
 * Events from now on: tickets created, claimed and finished, and what people and the system
 * decided. It polls, so it sees what committed, a moment later; an event of a transaction that took
 * longer than a few seconds may be missed. Used by one thread.
 */
public interface TicketFeed {
  /**
   * Something that happened.
   *
   * @param key tells it from everything else that ever happens
   * @param position where a feed can be opened again that tells of all that comes after it, and
   *     perhaps of some that came before
   */
  record Event(String key, String position, TimelineEntry entry) {}

  /**
   * The events since the last call, or since the feed was opened, in order of time. Returns at
   * once.
   */
  List<Event> events();

  /**
   * Where a feed can be opened again that tells of all that comes from now on, and perhaps of some
   * that came before.
   */
  String position();

  /** The same without their keys. */
  default List<TimelineEntry> next() {
    return events().stream().map(Event::entry).toList();
  }
}
