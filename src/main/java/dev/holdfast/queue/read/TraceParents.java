package dev.holdfast.queue.read;

import java.util.Collection;
import java.util.Map;

/** Knows the traces under which tickets were enqueued. Thread-safe. */
@FunctionalInterface
public interface TraceParents {
  /**
   * Returns the traceparents of those tickets that have one, by their ids.
   *
   * @throws dev.holdfast.ticket.HoldfastException if the database cannot be reached
   */
  Map<Long, String> of(Collection<Long> ticketIds);
}
