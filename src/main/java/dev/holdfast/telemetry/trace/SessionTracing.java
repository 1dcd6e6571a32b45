package dev.holdfast.telemetry.trace;

import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionListener;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a span for each turn of a session below its attempt, and one for each tool call below its
 * turn. Thread-safe: the thread's mark says which session an event belongs to.
 */
public final class SessionTracing implements SessionListener {
  private static final AttributeKey<Long> TURN = AttributeKey.longKey("holdfast.turn");
  private static final AttributeKey<Long> TRIES = AttributeKey.longKey("holdfast.turn.tries");
  private static final AttributeKey<String> STATUS = AttributeKey.stringKey("holdfast.turn.status");

  /** A span and the spans above it. */
  private record Open(Span span, @Nullable String parent, Span above) {}

  private final Tracer tracer;
  private final Map<String, Open> turns = new ConcurrentHashMap<>();
  private final Map<String, Span> tools = new ConcurrentHashMap<>();

  public SessionTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  public void on(SessionEvent event) {
    if (SpanMarks.span() == null) {
      return;
    }
    switch (event) {
      case SessionEvent.TurnStarted turn -> begin(turn);
      case SessionEvent.TurnFinished turn -> end(turn);
      case SessionEvent.ToolStarted tool ->
          tools.put(
              key(tool.call().id()),
              tracer
                  .spanBuilder(GenAi.nameOf(tool.call()))
                  .setParent(SpanMarks.current())
                  .setAllAttributes(GenAi.of(tool.call()))
                  .startSpan());
      case SessionEvent.ToolFinished tool -> {
        Span span = tools.remove(key(tool.reply().call().id()));
        if (span != null) {
          span.setAllAttributes(GenAi.of(tool.reply()));
          if (!GenAi.isWell(tool.reply())) {
            span.setStatus(StatusCode.ERROR);
          }
          span.end();
        }
      }
      default -> {
        // The other events are no work that takes time.
      }
    }
  }

  private static String key(String callId) {
    return SpanMarks.span() + " " + callId;
  }

  private void begin(SessionEvent.TurnStarted turn) {
    String parent = SpanMarks.span();
    Span above = Span.fromContext(SpanMarks.current());
    Span span =
        tracer
            .spanBuilder("turn")
            .setParent(SpanMarks.current())
            .setAttribute(TURN, (long) turn.turn())
            .startSpan();
    turns.put(span.getSpanContext().getSpanId(), new Open(span, parent, above));
    SpanMarks.set(span.getSpanContext());
  }

  private void end(SessionEvent.TurnFinished turn) {
    String mark = SpanMarks.span();
    Open open = mark == null ? null : turns.remove(mark);
    if (open != null) {
      open.span().setAttribute(TRIES, (long) turn.attempts()).setAttribute(STATUS, turn.status());
      open.span().end();
      SpanMarks.set(open.above().getSpanContext());
    }
  }

  /** Ends what was left open below an attempt that is over. */
  void over(String attempt) {
    for (Iterator<Open> all = turns.values().iterator(); all.hasNext(); ) {
      Open open = all.next();
      if (attempt.equals(open.parent())) {
        String turn = open.span().getSpanContext().getSpanId();
        tools.entrySet().stream()
            .filter(tool -> tool.getKey().startsWith(turn + " "))
            .map(Map.Entry::getKey)
            .toList()
            .forEach(key -> end(tools.remove(key)));
        end(open.span());
        all.remove();
      }
    }
  }

  private static void end(@Nullable Span unfinished) {
    if (unfinished != null) {
      unfinished.setStatus(StatusCode.ERROR, "cut off");
      unfinished.end();
    }
  }
}
