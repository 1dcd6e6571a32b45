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
   * @param key distinguishes it from everything else that ever happens
   * @param position the place at which a feed can be opened again; that feed has everything after
   *     this event, and perhaps some that came before
   */
  record Event(String key, String position, TimelineEntry entry) {}

  /**
   * Returns the events since the last call, or since the feed was opened, in order of time, without
   * waiting.
   */
  List<Event> events();

  /**
   * Returns the place at which a feed can be opened again; that feed has everything from now on,
   * and perhaps some that came before.
   */
  String position();

  /** Returns the same without their keys. */
  default List<TimelineEntry> next() {
    return events().stream().map(Event::entry).toList();
  }
}
