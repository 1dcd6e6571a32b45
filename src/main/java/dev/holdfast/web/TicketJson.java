package dev.holdfast.web;

import dev.holdfast.queue.read.AutoRetrySwitch;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TicketSummary;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Tickets as JSON: their columns, who looks after them, and the version to act on. */
record TicketJson(TicketReader tickets) {
  /** Returns the rows without the columns that may be large. */
  static List<ObjectNode> summaries(List<TicketSummary> rows) {
    return rows.stream().map(row -> node(row, row.assignee(), row.version())).toList();
  }

  static ObjectNode summary(TicketSummary row) {
    return summaries(List.of(row)).getFirst();
  }

  /** Returns all columns. */
  ObjectNode whole(TicketRow row) {
    ObjectNode node = node(row, tickets.assignee(row.id()).orElse(null), row.version());
    node.set("steps", Bodies.tree(Bodies.json(tickets.steps(row.id()))));
    node.put("auto_retry", tickets.autoRetry(row.id()).map(AutoRetrySwitch::enabled).orElse(null));
    node.put("waits_for", tickets.predecessors(row.id()).orElse(null));
    node.set("wait", tickets.currentWait(row.id()).map(TicketJson::wait).orElse(null));
    return node;
  }

  private static ObjectNode wait(CurrentWait wait) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("kind", wait.kind().name().toLowerCase(Locale.ROOT))
        .put("until", wait.until().toString())
        .put("left_ms", wait.left().toMillis())
        .put("reason", wait.reason())
        .put("attempt", wait.attempt())
        .put("max_attempts", wait.maxAttempts());
  }

  private static ObjectNode node(Object row, @Nullable String assignee, String version) {
    return ((ObjectNode) Bodies.tree(Bodies.json(row)))
        .put("assignee", assignee)
        .put("version", version);
  }
}
