package dev.holdfast.web;

import dev.holdfast.queue.TicketReader;
import dev.holdfast.queue.TicketRow;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tickets as JSON: their columns, who looks after them, and the version to act on. */
final class TicketJson {
  private static final int SHOWN_ERROR_CHARS = 500;
  private static final List<String> LARGE = List.of("payload", "result", "retry_strategy");

  private final TicketReader tickets;

  TicketJson(TicketReader tickets) {
    this.tickets = tickets;
  }

  /** Without the columns that may be large. */
  List<ObjectNode> summaries(List<TicketRow> rows) {
    Map<Long, String> assignees = tickets.assignees(rows.stream().map(TicketRow::id).toList());
    return rows.stream().map(row -> summary(row, assignees.get(row.id()))).toList();
  }

  ObjectNode summary(TicketRow row) {
    return summaries(List.of(row)).getFirst();
  }

  /** All columns. */
  ObjectNode whole(TicketRow row) {
    return node(row, tickets.assignees(List.of(row.id())).get(row.id()));
  }

  private static ObjectNode summary(TicketRow row, @Nullable String assignee) {
    ObjectNode node = node(row, assignee);
    node.remove(LARGE);
    JsonNode error = node.get("error");
    if (error.isString() && error.asString().length() > SHOWN_ERROR_CHARS) {
      node.put("error", cut(error.asString()));
    }
    return node;
  }

  private static ObjectNode node(TicketRow row, @Nullable String assignee) {
    return ((ObjectNode) Bodies.tree(Bodies.json(row)))
        .put("assignee", assignee)
        .put("version", row.version());
  }

  /** Never within a surrogate pair. */
  private static String cut(String text) {
    int end = SHOWN_ERROR_CHARS;
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
  }
}
