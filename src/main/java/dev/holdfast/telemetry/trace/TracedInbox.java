package dev.holdfast.telemetry.trace;

import dev.holdfast.queue.Channel;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Makes a span for each ticket that comes in; its attempts are below that span. Thread-safe. */
public record TracedInbox(TicketInbox inbox, Tracer tracer) implements TicketInbox {
  @Override
  public TicketInbox through(Channel channel) {
    return new TracedInbox(inbox.through(channel), tracer);
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

  @Override
  public long enqueueAll(Iterator<NewTicket> tickets) {
    return many("enqueue many", tickets, inbox::enqueueAll);
  }

  @Override
  public Batched enqueueBatch(Iterator<NewTicket> tickets, String actor, @Nullable String title) {
    return many("enqueue batch", tickets, all -> inbox.enqueueBatch(all, actor, title));
  }

  /** Enqueues all tickets below one span, and reads them while they are sent. */
  private <T> T many(
      String name, Iterator<NewTicket> tickets, Function<Iterator<NewTicket>, T> enqueue) {
    if (!tickets.hasNext()) {
      return enqueue.apply(tickets);
    }
    NewTicket first = tickets.next();
    return traced(
        name,
        first,
        span -> {
          Stream<NewTicket> rest =
              StreamSupport.stream(
                  Spliterators.spliteratorUnknownSize(tickets, Spliterator.ORDERED), false);
          return enqueue.apply(
              Stream.concat(Stream.of(first), rest).map(each -> under(span, each)).iterator());
        });
  }

  @Override
  public List<Long> enqueueGraph(List<Named> graph) {
    if (graph.isEmpty()) {
      return inbox.enqueueGraph(graph);
    }
    return traced(
        "enqueue graph", graph.getFirst().ticket(), span -> inbox.enqueueGraph(under(span, graph)));
  }

  @Override
  public BatchedGraph enqueueGraphAsBatch(List<Named> graph, String actor, @Nullable String title) {
    return graph.isEmpty()
        ? inbox.enqueueGraphAsBatch(graph, actor, title)
        : traced(
            "enqueue graph",
            graph.getFirst().ticket(),
            span -> inbox.enqueueGraphAsBatch(under(span, graph), actor, title));
  }

  private static List<Named> under(Span span, List<Named> graph) {
    return graph.stream()
        .map(each -> new Named(each.name(), under(span, each.ticket()), each.after()))
        .toList();
  }

  private static NewTicket under(Span span, NewTicket ticket) {
    return ticket.withTraceparent(TraceParent.of(span.getSpanContext()));
  }

  private <T> T traced(NewTicket ticket, Function<Span, T> enqueue) {
    return traced("enqueue " + ticket.queue(), ticket, enqueue);
  }

  /**
   * @param ticket its caller's trace is continued
   */
  private <T> T traced(String name, NewTicket ticket, Function<Span, T> enqueue) {
    Span span =
        TicketTracing.withOperation(tracer.spanBuilder(name), "enqueue", "send")
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
