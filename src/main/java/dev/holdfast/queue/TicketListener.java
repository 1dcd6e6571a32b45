package dev.holdfast.queue;

/**
 * Hears of changes after they are committed (A55). Called on worker threads: must be quick, do no
 * I/O; what it throws is logged and dropped.
 */
@FunctionalInterface
public interface TicketListener {
  void on(TicketEvent event);
}
