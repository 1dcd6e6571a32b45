package dev.holdfast.worker;

import dev.holdfast.queue.NewTicket;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Tickets that a handler adds, as the function add_tickets_of_job takes them. */
final class AddedTickets {
  private static final String USUAL_QUEUE = NewTicket.ofDesign("any").queue();

  private AddedTickets() {}

  static @Nullable String json(List<NewTicket> tickets) {
    ArrayNode steps = JsonMapper.shared().createArrayNode();
    tickets.forEach(each -> steps.add(step(each)));
    return steps.isEmpty() ? null : steps.toString();
  }

  private static ObjectNode step(NewTicket ticket) {
    String design = Objects.requireNonNullElse(ticket.design(), "");
    NewTicket known =
        NewTicket.ofDesign(design)
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
    ObjectNode step = JsonMapper.shared().createObjectNode().put("design", design);
    step.putArray("payloads").add(JsonMapper.shared().readTree(ticket.payload()));
    if (ticket.title() != null) {
      step.put("title", ticket.title());
    }
    if (!ticket.queue().equals(USUAL_QUEUE)) {
      step.put("queue", ticket.queue());
    }
    return ticket.priority() == 0 ? step : step.put("priority", ticket.priority());
  }
}
