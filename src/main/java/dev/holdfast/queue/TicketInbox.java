package dev.holdfast.queue;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stores new tickets. Thread-safe. */
public interface TicketInbox {
  /**
   * The key of a request, which counts once however often it is sent within 24 hours.
   *
   * @param key a hash or another short text, chosen by the sender and used by nobody else
   * @param request a hash of what was asked
   */
  record RequestKey(String key, String request) {}

  /**
   * The answer to a request.
   *
   * @param created whether this very call made the ticket; otherwise it was there, under its unique
   *     key or made by an earlier call with the same request key
   */
  record Accepted(long ticketId, boolean created) {}

  /**
   * Returns the same inbox; tickets that are enqueued through it in somebody's name are recorded
   * with this channel.
   */
  TicketInbox through(Channel channel);

  /**
   * Enqueues a ticket in somebody's name, which its activity shows.
   *
   * @param key null makes a ticket at every call
   * @throws dev.holdfast.ticket.InvalidInputException also if the key was used for another request
   */
  Accepted accept(NewTicket ticket, String actor, @Nullable RequestKey key);

  /**
   * Enqueues one ticket in a transaction of its own.
   *
   * @return its id, or that of the kept ticket which already has its unique key
   * @throws dev.holdfast.ticket.NotFoundException if there is no such design
   * @throws dev.holdfast.ticket.InvalidInputException if a value cannot be taken: payload not JSON
   *     or over the size limit, negative delay, bad queue name
   */
  long enqueue(NewTicket ticket);

  /**
   * A ticket of a graph.
   *
   * @param name unique in the graph; null where none waits for it
   * @param ticket may also wait for tickets that are there already
   * @param after the names of the tickets in the graph that it waits for and whose results it is
   *     given
   */
  record Named(@Nullable String name, NewTicket ticket, List<String> after) {
    public Named {
      after = List.copyOf(after);
    }
  }

  /**
   * Enqueues tickets that wait for each other by name, in one transaction: all or none.
   *
   * @param graph in any order, 10,000 at most
   * @return their ids, in the same order
   * @throws dev.holdfast.ticket.InvalidInputException also where they wait in a circle, which it
   *     names
   * @throws dev.holdfast.ticket.NotFoundException also if one waits for a ticket or a name that is
   *     not there
   */
  List<Long> enqueueGraph(List<Named> graph);

  /**
   * Enqueues as {@link #enqueueGraph}; the tickets are a closed batch.
   *
   * @param title of the batch, for people; may be null
   */
  BatchedGraph enqueueGraphAsBatch(List<Named> graph, String actor, @Nullable String title);

  /**
   * The answer to a graph.
   *
   * @param batchId the batch that its tickets form
   * @param added how many were added; the others have unique keys that exist
   * @param ids in the order of its tickets
   */
  record BatchedGraph(long batchId, long added, List<Long> ids) {
    public BatchedGraph {
      ids = List.copyOf(ids);
    }
  }

  /**
   * Enqueues many by COPY in one transaction: all or none.
   *
   * @return how many were added; tickets whose unique key exists are skipped
   * @throws dev.holdfast.ticket.InvalidInputException naming the first bad ticket by its position
   *     from 1
   */
  long enqueueAll(Iterator<NewTicket> tickets);

  /**
   * The answer to many tickets.
   *
   * @param batchId the batch that they form
   * @param added how many were added
   */
  record Batched(long batchId, long added) {}

  /**
   * Enqueues as {@link #enqueueAll}. The tickets are a closed batch, which shows how far they are,
   * and which other tickets may wait for.
   *
   * @param title of the batch, for people; may be null
   */
  Batched enqueueBatch(Iterator<NewTicket> tickets, String actor, @Nullable String title);
}
