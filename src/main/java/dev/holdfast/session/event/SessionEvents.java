package dev.holdfast.session.event;

import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Tells all listeners, and survives them (D37, D41). */
public record SessionEvents(List<SessionListener> listeners) {
  private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);

  private static final String TURN = "turn";

  public SessionEvents {
    listeners = List.copyOf(listeners);
  }

  public void emit(SessionEvent event) {
    switch (event) {
      case SessionEvent.TurnStarted started -> MDC.put(TURN, Integer.toString(started.turn()));
      case SessionEvent.AttemptFinished tried -> logTry(tried);
      default -> {
        // The rest is for listeners.
      }
    }
    for (SessionListener listener : listeners) {
      try {
        listener.on(event);
      } catch (RuntimeException e) {
        LOG.warn("a listener failed on {}", event.getClass().getSimpleName(), e);
      }
    }
  }

  /** One line per try (B72): the model, what came of it, its tokens and its cost. */
  private static void logTry(SessionEvent.AttemptFinished tried) {
    Usage usage = tried.usage();
    LOG.info(
        "try {} of {}: {}, {} tokens in, {} out, {} USD, {} ms",
        tried.attempt(),
        tried.target(),
        tried.status(),
        usage.input() + usage.cacheRead() + usage.cacheWrite(),
        usage.output(),
        tried.costUsd() == null ? "unknown" : tried.costUsd().toPlainString(),
        tried.latency().toMillis());
  }

  /** Later log lines of this thread belong to no turn. */
  public void over() {
    MDC.remove(TURN);
  }

  public void log(SessionEvent.Level level, String source, String message) {
    switch (level) {
      case WRN -> LOG.warn("{}: {}", source, message);
      case ERR -> LOG.error("{}: {}", source, message);
      case FIN -> LOG.info("{}: {}", source, message);
    }
    emit(new SessionEvent.Logged(level, source, message));
  }

  /** Hands the pieces of an answer on. */
  public StreamListener stream() {
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
