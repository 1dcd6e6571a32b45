package dev.holdfast.worker;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners of committed changes; one that throws harms nobody (A55). */
record Events(List<TicketListener> listeners) {
  private static final Logger log = LoggerFactory.getLogger(Events.class);
  private static final ScopedValue<Events> TELLING = ScopedValue.newInstance();

  Events {
    listeners = List.copyOf(listeners);
  }

  /** Returns whether the caller is one of these listeners. */
  boolean isTelling() {
    return TELLING.isBound() && TELLING.get().equals(this);
  }

  void tell(TicketEvent event) {
    ScopedValue.where(TELLING, this).run(() -> tellEach(event));
  }

  private void tellEach(TicketEvent event) {
    for (TicketListener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) {
        // Errors are caught too: a listener's missing class must not end the thread that claims or
        // stores. The same holds for a checked exception, which Kotlin and others throw undeclared.
        String name = event.getClass().getSimpleName();
        ForeignFailure.warn(
            log, "a listener failed on %s of ticket %s".formatted(name, event.ticketId()), e);
      }
    }
  }
}
