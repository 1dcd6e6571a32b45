package dev.holdfast.telemetry.trace;

import dev.holdfast.queue.NewTicket;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import org.jspecify.annotations.Nullable;

/** Spans as W3C Trace Context writes them. */
final class TraceParent {
  private TraceParent() {}

  static String of(SpanContext span) {
    return "00-%s-%s-%s"
        .formatted(span.getTraceId(), span.getSpanId(), span.getTraceFlags().asHex());
  }

  /** Invalid for null, and for what is no traceparent. */
  static SpanContext parse(@Nullable String text) {
    if (text == null || !NewTicket.isTraceparent(text)) {
      return SpanContext.getInvalid();
    }
    String[] parts = text.split("-", -1);
    return SpanContext.createFromRemoteParent(
        parts[1], parts[2], TraceFlags.fromHex(parts[3], 0), TraceState.getDefault());
  }
}
