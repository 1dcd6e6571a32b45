package dev.holdfast.telemetry.trace;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A span for each ticket that comes in, below which its attempts are. Thread-safe. */
public final class TracedInbox implements TicketInbox {
  private final TicketInbox inbox;
  private final Tracer tracer;

  public TracedInbox(TicketInbox inbox, Tracer tracer) {
    this.inbox = inbox;
    this.tracer = tracer;
  }

  @Override
  public Accepted accept(NewTicket ticket, String actor, @Nullable RequestKey key) {
    return traced(
        ticket,
        span -> {
          Accepted accepted = inbox.accept(under(span, ticket), actor, key);
          TicketTracing.tell(span, ticket.queue(), accepted.ticketId());
          return accepted;
        });
  }

  @Override
  public long enqueue(NewTicket ticket) {
    return traced(
        ticket,
        span -> {
          long id = inbox.enqueue(under(span, ticket));
          TicketTracing.tell(span, ticket.queue(), id);
          return id;
        });
  }

  /** Many at once have no trace: each would take two statements instead of a line of COPY. */
  @Override
  public long enqueueAll(Iterator<NewTicket> tickets) {
    return inbox.enqueueAll(tickets);
  }

  @Override
  public Batched enqueueBatch(Iterator<NewTicket> tickets, String actor, @Nullable String title) {
    return inbox.enqueueBatch(tickets, actor, title);
  }

  @Override
  public List<Long> enqueueGraph(List<Named> graph) {
    return inbox.enqueueGraph(graph);
  }

  @Override
  public BatchedGraph enqueueGraphAsBatch(List<Named> graph, String actor, @Nullable String title) {
    return inbox.enqueueGraphAsBatch(graph, actor, title);
  }

  private static NewTicket under(Span span, NewTicket ticket) {
    return ticket.withTraceparent(TraceParent.of(span.getSpanContext()));
  }

  private <T> T traced(NewTicket ticket, Function<Span, T> enqueue) {
    Span span =
        TicketTracing.withOperation(
                tracer.spanBuilder("enqueue " + ticket.queue()), "enqueue", "send")
            .setParent(TicketTracing.remote(TraceParent.parse(ticket.traceparent())))
            .setSpanKind(SpanKind.PRODUCER)
            .startSpan();
    try {
      return enqueue.apply(span);
    } catch (RuntimeException e) {
      span.setStatus(StatusCode.ERROR);
      throw e;
    } finally {
      span.end();
    }
  }
}
