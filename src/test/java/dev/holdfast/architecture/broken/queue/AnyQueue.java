package dev.holdfast.architecture.broken.queue;

import dev.holdfast.architecture.broken.ticket.TicketThatKnowsItsQueue;

public interface AnyQueue {
  void put(TicketThatKnowsItsQueue ticket);
}
