package dev.holdfast.telemetry.trace;

import dev.holdfast.failure.Sha256;
import dev.holdfast.ticket.Ticket;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.sdk.trace.IdGenerator;

/**
 * Gives a ticket that was enqueued under no trace a trace of its own. It is made from the ticket's
 * number and the time at which it was made. So all its attempts, in whatever worker, are under the
 * same trace, and nothing has to be stored for that.
 */
public final class TicketIds implements IdGenerator {
  private static final int TRACE_BYTES = 16;
  private static final ThreadLocal<String> NEXT = new ThreadLocal<>();

  private final IdGenerator usual = IdGenerator.random();

  /** Starts a span without a parent in the ticket's own trace. */
  static Span start(SpanBuilder span, Ticket ticket) {
    NEXT.set(traceOf(ticket));
    try {
      return span.setNoParent().startSpan();
    } finally {
      NEXT.remove();
    }
  }

  static String traceOf(Ticket ticket) {
    return Sha256.hex(ticket.id() + " " + ticket.createdAt(), TRACE_BYTES);
  }

  @Override
  public String generateSpanId() {
    return usual.generateSpanId();
  }

  @Override
  public String generateTraceId() {
    String next = NEXT.get();
    return next == null ? usual.generateTraceId() : next;
  }
}
