package dev.holdfast.session.event;

/**
 * Takes the events of all sessions of a worker, for the tickets' live streams. Thread-safe; called
 * on the sessions' threads, so it must be quick and never throws.
 */
@FunctionalInterface
public interface EventSink {
  void on(long ticketId, long leaseNo, SessionEvent event);
}
