package dev.holdfast.telemetry.trace;

import dev.holdfast.llm.WireCall;
import dev.holdfast.llm.WireListener;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.time.Instant;
import java.time.InstantSource;

/** Makes a span for each HTTP request to a model, below what its thread works for. Thread-safe. */
public record ModelTracing(Tracer tracer, InstantSource clock) implements WireListener {
  @Override
  public void on(WireCall call) {
    Instant now = clock.instant();
    Span span =
        tracer
            .spanBuilder(GenAi.nameOf(call))
            .setParent(SpanMarks.current())
            .setSpanKind(SpanKind.CLIENT)
            .setStartTimestamp(now.minus(call.latency()))
            .setAllAttributes(GenAi.of(call))
            .startSpan();
    if (call.failure() != null) {
      span.setStatus(StatusCode.ERROR);
    }
    span.end(now);
  }
}
