package dev.holdfast.postgres.inbox;

import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.ticket.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** Writes a graph of tickets as {@code holdfast.enqueue_tickets} takes it. */
final class GraphJson {
  private static final JsonMapper MAPPER = new JsonMapper();

  private GraphJson() {}

  /**
   * @throws InvalidInputException that names the first ticket that cannot be taken
   */
  static void check(List<Named> graph, NewTicketRules rules) {
    int place = 0;
    for (Named each : graph) {
      place++;
      try {
        rules.check(each.ticket());
      } catch (InvalidInputException e) {
        String which =
            each.name() == null
                ? "ticket " + place + " of the list"
                : "ticket \"" + each.name() + "\"";
        throw new InvalidInputException(which + ": " + e.getMessage());
      }
    }
  }

  /**
   * @param graph a graph whose tickets the rules allow
   */
  static String of(List<Named> graph) {
    ArrayNode tickets = MAPPER.createArrayNode();
    graph.forEach(each -> put(each, tickets.addObject()));
    return MAPPER.writeValueAsString(tickets);
  }

  private static void put(Named named, ObjectNode node) {
    NewTicket ticket = named.ticket();
    put(node, "name", named.name());
    put(node, "design", ticket.design());
    put(node, "kind", ticket.kind());
    put(node, "title", ticket.title());
    node.putRawValue("payload", new RawValue(ticket.payload()));
    put(node, "queue", ticket.queue());
    node.put("priority", ticket.priority());
    put(node, "run_at", ticket.runAt());
    put(node, "delay_ms", ticket.runAt() == null ? ticket.delay() : null);
    put(node, "unique_key", ticket.uniqueKey());
    if (ticket.maxCostUsd() != null) {
      node.put("max_cost_usd", ticket.maxCostUsd());
    }
    switch (ticket.expiry()) {
      case Expiry.In(Duration time) -> put(node, "expires_in_ms", time);
      case Expiry.At(Instant time) -> put(node, "expires_at", time);
      case null -> {}
    }
    put(node, "concurrency_key", ticket.concurrencyKey());
    put(node, "fairness_key", ticket.fairnessKey());
    put(node, "unique_for", ticket.uniqueness().spanWords());
    put(node, "on_duplicate", ticket.uniqueness().duplicateWords());
    if (ticket.following().onCancelled() != Following.OnCancelled.HOLD) {
      node.put("on_cancelled", ticket.following().onCancelled().wireName());
    }
    if (!named.after().isEmpty() || !ticket.after().isEmpty()) {
      ArrayNode after = node.putArray("after");
      named.after().forEach(after::add);
      ticket.after().forEach(id -> put(after, id, ticket.following().names().get(id)));
    }
    if (ticket.batchId() != null) {
      node.put("batch_id", ticket.batchId());
    }
    if (ticket.afterBatch() != null) {
      node.put("after_batch", ticket.afterBatch());
    }
  }

  private static void put(ArrayNode after, long id, @Nullable String name) {
    if (name == null) {
      after.add(id);
    } else {
      after.addObject().put(name, id);
    }
  }

  private static void put(ObjectNode node, String key, @Nullable Object value) {
    switch (value) {
      case null -> {}
      case Duration span -> node.put(key, span.toMillis());
      default -> node.put(key, value.toString());
    }
  }
}
