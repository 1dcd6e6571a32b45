package dev.holdfast.worker;

import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Guidance;
import java.util.List;

/** What a handler is given. Used by the handler's thread. */
public interface TicketContext {
  ClaimedTicket claimed();

  default long ticketId() {
    return claimed().id();
  }

  /** This execution's number, from 1. */
  default int attempt() {
    return claimed().attempt();
  }

  /** The task as JSON text. */
  default String payload() {
    return claimed().ticket().payload();
  }

  /** What people told this ticket's attempts, oldest first. */
  default List<Guidance> guidance() {
    return claimed().guidance();
  }

  /** True once the attempt's result will not be wanted any more; the thread is interrupted too. */
  boolean isCancelled();
}
