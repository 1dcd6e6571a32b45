package dev.holdfast.app;

import dev.holdfast.queue.Channel;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Enqueues tickets that have no trace of their own under the caller's trace. Thread-safe. */
record CallersTrace(TicketInbox inbox, String traceparent) implements TicketInbox {
  @Override
  public TicketInbox through(Channel channel) {
    return new CallersTrace(inbox.through(channel), traceparent);
  }

  @Override
  public Accepted accept(NewTicket ticket, String actor, @Nullable RequestKey key) {
    return inbox.accept(below(ticket), actor, key);
  }

  @Override
  public long enqueue(NewTicket ticket) {
    return inbox.enqueue(below(ticket));
  }

  @Override
  public long enqueueAll(Iterator<NewTicket> tickets) {
    return inbox.enqueueAll(below(tickets));
  }

  @Override
  public Batched enqueueBatch(Iterator<NewTicket> tickets, String actor, @Nullable String title) {
    return inbox.enqueueBatch(below(tickets), actor, title);
  }

  @Override
  public List<Long> enqueueGraph(List<Named> graph) {
    return inbox.enqueueGraph(below(graph));
  }

  @Override
  public BatchedGraph enqueueGraphAsBatch(List<Named> graph, String actor, @Nullable String title) {
    return inbox.enqueueGraphAsBatch(below(graph), actor, title);
  }

  private Iterator<NewTicket> below(Iterator<NewTicket> tickets) {
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(tickets, Spliterator.ORDERED), false)
        .map(this::below)
        .iterator();
  }

  private List<Named> below(List<Named> graph) {
    return graph.stream()
        .map(each -> new Named(each.name(), below(each.ticket()), each.after()))
        .toList();
  }

  private NewTicket below(NewTicket ticket) {
    return ticket.traceparent() == null ? ticket.withTraceparent(traceparent) : ticket;
  }
}
