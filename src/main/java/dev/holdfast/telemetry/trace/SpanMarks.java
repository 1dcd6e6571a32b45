package dev.holdfast.telemetry.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Marks the span that a thread works for. The mark stands in the thread's log context, under the
 * names that OpenTelemetry gives it there: so it goes to the threads of tools and candidates with
 * the rest of that context, and lines of the log name it.
 */
final class SpanMarks {
  private static final String TRACE = "trace_id";
  private static final String SPAN = "span_id";
  private static final String FLAGS = "trace_flags";

  private SpanMarks() {}

  static void set(SpanContext span) {
    MDC.put(TRACE, span.getTraceId());
    MDC.put(SPAN, span.getSpanId());
    MDC.put(FLAGS, span.getTraceFlags().asHex());
  }

  /** Returns the id of the span, or null. */
  static @Nullable String span() {
    return MDC.get(SPAN);
  }

  /** Returns the parent of a new span of this thread; the root if the thread works for none. */
  static Context current() {
    String trace = MDC.get(TRACE);
    String span = MDC.get(SPAN);
    String flags = MDC.get(FLAGS);
    return trace == null || span == null || flags == null
        ? Context.root()
        : under(
            SpanContext.create(trace, span, TraceFlags.fromHex(flags, 0), TraceState.getDefault()));
  }

  static Context under(SpanContext parent) {
    return Context.root().with(Span.wrap(parent));
  }
}
