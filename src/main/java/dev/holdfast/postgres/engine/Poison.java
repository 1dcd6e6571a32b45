package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.HoldfastException;

/** Makes the failure of a claimed ticket that cannot be read: only a person can put it right. */
final class Poison {
  private static final String RULE = "unreadable-ticket";

  private Poison() {}

  static Finish.Failed unreadable(TicketLease ticket, HoldfastException why) {
    String words = "ticket " + ticket.ticketId() + " cannot be run: " + why.getMessage();
    Failure failure = new Failure(words, Category.SYSTEM_ERROR, RULE, "", null, null, RULE);
    return new Finish.Failed(
        ticket.ticketId(),
        ticket.leaseNo(),
        failure,
        new RetryDecision.Hold(HoldCause.POISON, words));
  }
}
