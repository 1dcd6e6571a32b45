package dev.holdfast.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tickets that a job adds with its success, as far as its design allows.
 *
 * @param allowed the names of designs; if there are none, a job adds nothing
 */
public record Enqueues(List<String> allowed) {
  private static final int MOST = 10_000;
  private static final Set<String> FIELDS =
      Set.of("design", "payload", "title", "queue", "priority");

  /** The value for jobs that add nothing. */
  public static final Enqueues NONE = new Enqueues(List.of());

  /** Copies the list. */
  public Enqueues {
    allowed = List.copyOf(allowed);
  }

  /** Reads what a design's document allows. */
  public static Enqueues of(JsonNode design) {
    return new Enqueues(
        design.path("may_enqueue").valueStream().map(each -> each.asString("")).toList());
  }

  /**
   * Reads and checks the tickets.
   *
   * @param tickets what the job says; null or missing for none
   * @return the tickets as add_tickets_of_job takes them, JSON; null for none
   * @throws IllegalArgumentException if they cannot be enqueued; the message says why
   */
  public @Nullable String steps(@Nullable JsonNode tickets) {
    if (tickets == null || tickets.isNull() || tickets.isMissingNode()) {
      return null;
    }
    if (!tickets.isArray() || tickets.size() > MOST) {
      throw new IllegalArgumentException(
          "\"enqueue\" must be a list of at most " + MOST + " tickets");
    }
    ArrayNode steps = JsonNodeFactory.instance.arrayNode();
    tickets.forEach(each -> steps.add(step(each)));
    return steps.isEmpty() ? null : steps.toString();
  }

  private ObjectNode step(JsonNode ticket) {
    String design = ticket.path("design").asString("");
    if (!ticket.isObject() || !FIELDS.containsAll(ticket.propertyNames())) {
      throw new IllegalArgumentException(
          "a ticket of \"enqueue\" has design, payload, title, queue and priority; it is "
              + beginning(ticket));
    }
    if (!allowed.contains(design)) {
      throw new IllegalArgumentException(
          "its design does not allow it to enqueue \""
              + design
              + "\": add it to may_enqueue, which is "
              + allowed);
    }
    requireTypes(ticket);
    ObjectNode step = ((ObjectNode) ticket).deepCopy();
    JsonNode payload = step.remove("payload");
    step.putArray("payloads")
        .add(payload == null ? JsonNodeFactory.instance.objectNode() : payload);
    return step;
  }

  private static void requireTypes(JsonNode ticket) {
    for (String each : List.of("title", "queue")) {
      if (ticket.has(each) && !ticket.get(each).isString()) {
        throw new IllegalArgumentException(
            "\"" + each + "\" of a ticket of \"enqueue\" must be a text, not " + ticket.get(each));
      }
    }
    if (ticket.has("priority") && !ticket.get("priority").canConvertToInt()) {
      throw new IllegalArgumentException(
          "\"priority\" of a ticket of \"enqueue\" must be a whole number, not "
              + beginning(ticket.get("priority")));
    }
  }

  /** Returns their description for a model, as the schema of an argument. */
  public ObjectNode asSchema() {
    ObjectNode list = JsonNodeFactory.instance.objectNode().put("type", "array");
    list.put(
        "description",
        "With success: tickets to add, once, together with this report. Whoever waits for your"
            + " ticket waits for them too.");
    ObjectNode ticket = list.putObject("items").put("type", "object");
    ObjectNode properties = ticket.putObject("properties");
    ArrayNode names = properties.putObject("design").put("type", "string").putArray("enum");
    allowed.forEach(names::add);
    properties.putObject("payload").put("type", "object").put("description", "The task.");
    properties.putObject("title").put("type", "string");
    properties.putObject("queue").put("type", "string");
    properties.putObject("priority").put("type", "integer");
    ticket.putArray("required").add("design");
    return list;
  }

  private static String beginning(JsonNode node) {
    String text = node.toString();
    return text.length() > 100 ? text.substring(0, 100) + "…" : text;
  }
}
