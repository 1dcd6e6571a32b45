package dev.holdfast.worker;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.schema.Enqueues;
import dev.holdfast.schema.ExactJson;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the tickets that a handler adds in the form in which a job names them. */
final class AddedTickets {
  private static final String USUAL_QUEUE = NewTicket.ofDesign("any").queue();

  private AddedTickets() {}

  static @Nullable String json(List<NewTicket> tickets) {
    ArrayNode list = JsonMapper.shared().createArrayNode();
    tickets.forEach(each -> list.add(json(each)));
    return new Enqueues(tickets.stream().map(AddedTickets::design).toList()).steps(list);
  }

  private static String design(NewTicket ticket) {
    return Objects.requireNonNullElse(ticket.design(), "");
  }

  private static ObjectNode json(NewTicket ticket) {
    NewTicket known =
        NewTicket.ofDesign(design(ticket))
            .withPayload(ticket.payload())
            .withTitle(ticket.title())
            .withQueue(ticket.queue())
            .withPriority(ticket.priority());
    if (!known.equals(ticket)) {
      throw new IllegalArgumentException(
          "a ticket that a handler adds has a design, and at most a payload, a title, a queue and a"
              + " priority; it is "
              + ticket);
    }
    ObjectNode json = JsonMapper.shared().createObjectNode().put("design", design(ticket));
    json.set("payload", ExactJson.MAPPER.readTree(ticket.payload()));
    if (ticket.title() != null) {
      json.put("title", ticket.title());
    }
    if (!ticket.queue().equals(USUAL_QUEUE)) {
      json.put("queue", ticket.queue());
    }
    return ticket.priority() == 0 ? json : json.put("priority", ticket.priority());
  }
}
