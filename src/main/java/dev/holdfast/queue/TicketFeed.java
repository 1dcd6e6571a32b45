package dev.holdfast.queue;

import java.util.List;

/**
 * What happens from now on: tickets created, claimed and finished, and what people and the system
 * decided. It polls, so it sees what committed, a moment later; an event of a transaction that took
 * longer than a few seconds may be missed. Used by one thread.
 */
public interface TicketFeed {
  /**
   * The events since the last call, or since the feed was opened, in order of time. Returns at
   * once.
   */
  List<TimelineEntry> next();
}
