package dev.holdfast.postgres;

import dev.holdfast.queue.Finish;

/** One execution: what a result is stored under. */
record TicketLease(long ticketId, long leaseNo) {
  static TicketLease of(Finish finish) {
    return new TicketLease(finish.ticketId(), finish.leaseNo());
  }
}
