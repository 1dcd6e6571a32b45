package dev.holdfast.postgres;

import dev.holdfast.queue.Finish;

/** One execution: the key under which a result is stored. */
public record TicketLease(long ticketId, long leaseNo) {
  public static TicketLease of(Finish finish) {
    return new TicketLease(finish.ticketId(), finish.leaseNo());
  }
}
