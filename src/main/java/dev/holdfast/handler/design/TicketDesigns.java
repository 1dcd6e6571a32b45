package dev.holdfast.handler.design;

import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.InvalidInputException;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Finds the design of a ticket of one kind. Thread-safe. */
public final class TicketDesigns {
  private final DesignValidator validator = new DesignValidator();
  private final String kind;
  private final String lacks;

  /**
   * @param kind of the tickets
   * @param lacks what a ticket without a design lacks, such as {@code no model}
   */
  public TicketDesigns(String kind, String lacks) {
    this.kind = kind;
    this.lacks = lacks;
  }

  /**
   * Returns a ticket's design. It is checked again, because a row may have been written without
   * {@code holdfast design put}.
   *
   * @param reader of a document that is valid by its schema
   * @throws InvalidInputException if there is none that can be worked; names the design
   */
  public <T> T of(ClaimedTicket claimed, Function<JsonNode, T> reader) {
    Design design =
        claimed
            .design()
            .orElseThrow(
                () ->
                    new InvalidInputException(
                        "the ticket has no design and so "
                            + lacks
                            + ": cancel it, and enqueue with --design NAME"));
    try {
      return reader.apply(document(design.definition()));
    } catch (HoldfastException e) {
      throw new InvalidInputException(
          "design " + design.name() + " version " + design.version() + ": " + e.getMessage());
    }
  }

  private JsonNode document(String definition) {
    ValidDesign valid = validator.validate(definition);
    if (!valid.kind().equals(kind)) {
      throw new InvalidInputException(
          "its kind is " + valid.kind() + ", not " + kind + ": enqueue the ticket with that kind");
    }
    return DesignText.JSON.readTree(valid.definition());
  }
}
