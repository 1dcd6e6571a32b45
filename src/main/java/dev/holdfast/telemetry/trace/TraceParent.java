package dev.holdfast.telemetry.trace;

import dev.holdfast.queue.NewTicket;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import org.jspecify.annotations.Nullable;

/** Reads and writes spans as W3C Trace Context has them. */
final class TraceParent {
  private TraceParent() {}

  static String of(SpanContext span) {
    return "00-%s-%s-%s"
        .formatted(span.getTraceId(), span.getSpanId(), span.getTraceFlags().asHex());
  }

  /** Reads a span; an invalid one for null, and for a text that is no traceparent. */
  static SpanContext parse(@Nullable String text) {
    if (text == null || !NewTicket.isTraceparent(text)) {
      return SpanContext.getInvalid();
    }
    String[] parts = text.split("-", -1);
    return SpanContext.createFromRemoteParent(
        parts[1], parts[2], TraceFlags.fromHex(parts[3], 0), TraceState.getDefault());
  }
}
