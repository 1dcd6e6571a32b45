package dev.holdfast.app;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues under a trace what has none of its own. Thread-safe. */
record CallersTrace(TicketInbox inbox, String traceparent) implements TicketInbox {
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

  private NewTicket below(NewTicket ticket) {
    return ticket.traceparent() == null ? ticket.withTraceparent(traceparent) : ticket;
  }
}
