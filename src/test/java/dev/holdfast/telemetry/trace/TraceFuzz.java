package dev.holdfast.telemetry.trace;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.queue.NewTicket;
import io.opentelemetry.api.trace.SpanContext;

/** Traces as callers name them. */
public final class TraceFuzz {
  public static final FuzzTarget TRACEPARENT =
      FuzzTarget.ofText("traceparent", TraceFuzz::traceparent);

  private TraceFuzz() {}

  private static void traceparent(String text) {
    SpanContext span = TraceParent.parse(text);
    require(!span.isValid() || NewTicket.isTraceparent(text), "only what reads so is one");
    if (span.isValid()) {
      String passedOn = TraceParent.of(span);
      require(NewTicket.isTraceparent(passedOn), "what is passed on is one: " + passedOn);
      require(
          TraceParent.parse(passedOn).getSpanId().equals(span.getSpanId()),
          "what is passed on is the same");
    }
  }
}
