package dev.holdfast.session;

import dev.holdfast.llm.StreamListener;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells all listeners, and survives them (D37, D41). */
final class SessionEvents {
  private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);

  private final List<SessionListener> listeners;

  SessionEvents(List<SessionListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void emit(SessionEvent event) {
    for (SessionListener listener : listeners) {
      try {
        listener.on(event);
      } catch (RuntimeException e) {
        LOG.warn("a listener failed on {}", event.getClass().getSimpleName(), e);
      }
    }
  }

  void log(SessionEvent.Level level, String source, String message) {
    switch (level) {
      case VRB -> LOG.debug("{}: {}", source, message);
      case WRN -> LOG.warn("{}: {}", source, message);
      case ERR -> LOG.error("{}: {}", source, message);
      case FIN -> LOG.info("{}: {}", source, message);
    }
    emit(new SessionEvent.Logged(level, source, message));
  }

  /** Hands the pieces of an answer on. */
  StreamListener stream() {
    return new StreamListener() {
      @Override
      public void text(String piece) {
        emit(new SessionEvent.Text(piece));
      }

      @Override
      public void reasoning(String piece) {
        emit(new SessionEvent.Reasoning(piece));
      }
    };
  }
}
