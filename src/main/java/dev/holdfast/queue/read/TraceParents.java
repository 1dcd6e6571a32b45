package dev.holdfast.queue.read;

import java.util.Collection;
import java.util.Map;

/** Under which traces tickets were enqueued. Thread-safe. */
@FunctionalInterface
public interface TraceParents {
  /**
   * The traceparents of those of the tickets that have one, by their ids.
   *
   * @throws dev.holdfast.ticket.HoldfastException if the database cannot be reached
   */
  Map<Long, String> of(Collection<Long> ticketIds);
}
