package dev.holdfast.postgres;

import dev.holdfast.queue.Finish;

/** One execution: what a result is stored under. */
public record TicketLease(long ticketId, long leaseNo) {
  public static TicketLease of(Finish finish) {
    return new TicketLease(finish.ticketId(), finish.leaseNo());
  }
}
