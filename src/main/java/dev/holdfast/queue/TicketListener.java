package dev.holdfast.queue;

/**
 * Hears of changes after they are committed (A55). Called on worker threads, several at once: must
 * be thread-safe, be quick and do no I/O; what it throws is logged and dropped. A ticket that is
 * retried at once may be claimed by another thread before this hears of its failure.
 */
@FunctionalInterface
public interface TicketListener {
  void on(TicketEvent event);
}
