package dev.holdfast.telemetry.trace;

import dev.holdfast.repair.trace.Trace.Steps;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;

/**
 * Makes a span for each step of a repair, below its attempt. Calls of models and runs of programs
 * are below the step. Thread-safe.
 */
public record StepTracing(Tracer tracer) implements Steps {
  private static final AttributeKey<String> STEP = AttributeKey.stringKey("holdfast.repair.step");
  private static final Runnable NOTHING = () -> {};

  @Override
  public Runnable begin(String step) {
    if (SpanMarks.span() == null) {
      return NOTHING;
    }
    Span above = Span.fromContext(SpanMarks.current());
    Span span =
        tracer
            .spanBuilder("repair step")
            .setParent(SpanMarks.current())
            .setAttribute(STEP, step)
            .startSpan();
    SpanMarks.set(span.getSpanContext());
    return () -> {
      span.end();
      SpanMarks.set(above.getSpanContext());
    };
  }
}
