package dev.holdfast.handler.command;

import dev.holdfast.handler.design.DesignValidator;
import dev.holdfast.handler.design.TicketDesigns;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import java.nio.file.InvalidPathException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds the program that a ticket wants to run: its design's or, where the configuration allows it,
 * its payload's.
 */
final class CommandSource {
  /**
   * The keys of a payload that Holdfast reads; the rest of it is the program's input. None of them
   * gives access to the worker's environment.
   */
  private static final List<String> INLINE_KEYS =
      List.of("command", "directory", "timeout", "environment", "review");

  private final TicketDesigns designs = new TicketDesigns("command", "no program");
  private final DesignValidator validator = new DesignValidator();
  private final boolean allowInline;

  CommandSource(boolean allowInline) {
    this.allowInline = allowInline;
  }

  /**
   * @throws InvalidInputException if there is nothing that may be run
   */
  CommandDesign of(ClaimedTicket claimed) {
    if (claimed.design().isEmpty()) {
      JsonNode payload = ProgramJson.MAPPER.readTree(claimed.ticket().payload());
      if (payload.has("command")) {
        return ofPayload(payload);
      }
    }
    return designs.of(claimed, CommandSource::read);
  }

  private CommandDesign ofPayload(JsonNode payload) {
    if (!allowInline) {
      throw new InvalidInputException(
          "the ticket's payload names a program, which this worker does not allow: put it into a"
              + " design (holdfast design put NAME --file F) and enqueue with --design NAME, or set"
              + " handlers.command.allow-inline: true");
    }
    try {
      ObjectNode design = inlineDesign(payload);
      validator.validate(design.toString());
      return read(design);
    } catch (InvalidInputException e) {
      throw new InvalidInputException("the program in the ticket's payload: " + e.getMessage());
    }
  }

  private static ObjectNode inlineDesign(JsonNode payload) {
    if (payload.has("pass_environment")) {
      throw new InvalidInputException(
          "pass_environment is for designs only: remove it from the payload");
    }
    ObjectNode design = ProgramJson.MAPPER.createObjectNode().put("kind", "command");
    for (String key : INLINE_KEYS) {
      if (payload.has(key)) {
        design.set(key, payload.get(key));
      }
    }
    return design;
  }

  private static CommandDesign read(JsonNode document) {
    try {
      return CommandDesign.of(document);
    } catch (InvalidPathException e) {
      throw new InvalidInputException(
          "its directory cannot be named in the worker's locale: start the worker with"
              + " LC_ALL=C.UTF-8");
    }
  }
}
