package dev.holdfast.handler.agent;

import dev.holdfast.handler.design.DesignValidator;
import dev.holdfast.handler.design.ValidDesign;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.InvalidTicketException;
import java.time.Duration;
import tools.jackson.databind.json.JsonMapper;

/** Finds the design of a ticket of kind agent. Thread-safe. */
final class AgentDesigns {
  private final DesignValidator validator = new DesignValidator();
  private final Duration llmTimeout;

  AgentDesigns(Duration llmTimeout) {
    this.llmTimeout = llmTimeout;
  }

  /**
   * Checked again, for a row may have been written past {@code holdfast design put}.
   *
   * @throws InvalidTicketException if there is none that can be worked
   */
  AgentDesign of(ClaimedTicket claimed) {
    Design design =
        claimed
            .design()
            .orElseThrow(
                () ->
                    new InvalidTicketException(
                        "the ticket has no design and so no model: cancel it, and enqueue with"
                            + " --design NAME"));
    try {
      return checked(design.definition());
    } catch (HoldfastException e) {
      throw new InvalidTicketException(
          "design " + design.name() + " version " + design.version() + ": " + e.getMessage());
    }
  }

  private AgentDesign checked(String definition) {
    ValidDesign valid = validator.validate(definition);
    if (!valid.kind().equals("agent")) {
      throw new InvalidTicketException(
          "its kind is " + valid.kind() + ", not agent: enqueue the ticket with that kind");
    }
    return AgentDesign.of(JsonMapper.shared().readTree(valid.definition()), llmTimeout);
  }
}
