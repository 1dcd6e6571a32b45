package dev.holdfast.handler.command;

import dev.holdfast.ticket.InvalidTicketException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The tickets that a program adds by its last line, as far as its design allows. */
final class Enqueues {
  private static final int MOST = 10_000;
  private static final Set<String> FIELDS =
      Set.of("design", "payload", "title", "queue", "priority");

  private Enqueues() {}

  /**
   * Takes them out of the result. A program whose design allows none may have any "enqueue" in its
   * result.
   *
   * @return the tickets as JSON; null for none
   * @throws InvalidTicketException if they cannot be enqueued
   */
  static @Nullable String take(ObjectNode result, List<String> allowed) {
    if (allowed.isEmpty() || !result.has("enqueue")) {
      return null;
    }
    JsonNode tickets = result.remove("enqueue");
    if (!tickets.isArray() || tickets.size() > MOST) {
      throw new InvalidTicketException(
          "\"enqueue\" in the program's last line must be a list of at most " + MOST + " tickets");
    }
    ArrayNode steps = Json.MAPPER.createArrayNode();
    tickets.forEach(each -> steps.add(step(each, allowed)));
    return steps.isEmpty() ? null : steps.toString();
  }

  private static ObjectNode step(JsonNode ticket, List<String> allowed) {
    String design = ticket.path("design").asString("");
    if (!ticket.isObject() || !FIELDS.containsAll(ticket.propertyNames())) {
      throw new InvalidTicketException(
          "a ticket of \"enqueue\" has design, payload, title, queue and priority; it is "
              + beginning(ticket));
    }
    if (!allowed.contains(design)) {
      throw new InvalidTicketException(
          "its design does not allow it to enqueue \""
              + design
              + "\": add it to may_enqueue, which is "
              + allowed);
    }
    ObjectNode step = ((ObjectNode) ticket).deepCopy();
    JsonNode payload = step.remove("payload");
    step.putArray("payloads").add(payload == null ? Json.MAPPER.createObjectNode() : payload);
    return step;
  }

  private static String beginning(JsonNode node) {
    String text = node.toString();
    return text.length() > 100 ? text.substring(0, 100) + "…" : text;
  }
}
