package dev.holdfast.queue;

import java.util.Iterator;

/** Where tickets come in. Thread-safe. */
public interface TicketInbox {
  /**
   * Enqueues one ticket in a transaction of its own.
   *
   * @return its id, or that of the kept ticket which already has its unique key
   * @throws dev.holdfast.ticket.TicketNotFoundException if there is no such design
   * @throws dev.holdfast.ticket.InvalidTicketException if a value cannot be taken: payload not JSON
   *     or over the size limit, negative delay, bad queue name
   */
  long enqueue(NewTicket ticket);

  /**
   * Enqueues many by COPY in one transaction: all or none.
   *
   * @return how many were added; tickets whose unique key exists are skipped
   * @throws dev.holdfast.ticket.InvalidTicketException naming the first bad ticket by its position
   *     from 1
   */
  long enqueueAll(Iterator<NewTicket> tickets);
}
