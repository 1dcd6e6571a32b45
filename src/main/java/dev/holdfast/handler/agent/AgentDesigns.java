package dev.holdfast.handler.agent;

import dev.holdfast.handler.design.TicketDesigns;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidTicketException;
import java.time.Duration;

/** Finds the design of a ticket of kind agent. Thread-safe. */
final class AgentDesigns {
  private final TicketDesigns designs = new TicketDesigns("agent", "no model");
  private final Duration llmTimeout;

  AgentDesigns(Duration llmTimeout) {
    this.llmTimeout = llmTimeout;
  }

  /**
   * @throws InvalidTicketException if there is none that can be worked
   */
  AgentDesign of(ClaimedTicket claimed) {
    return designs.of(claimed, document -> AgentDesign.of(document, llmTimeout));
  }
}
