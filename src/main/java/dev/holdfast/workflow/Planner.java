package dev.holdfast.workflow;

import dev.holdfast.failure.ShortText;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import dev.holdfast.schema.JsonDepth;
import dev.holdfast.ticket.TicketState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Says what a workflow does next, from the states of its steps. What it says depends on nothing
 * else, so that the attempt after a crash says the same. For one use by one thread.
 */
final class Planner {
  static final int MOST_ITEMS = 10_000;
  private static final int LONGEST_RESULT = 1 << 20;
  private static final int MOST_CHARACTERS = 64 << 20;

  /**
   * The deepest payload: a ticket's JSON has 500 levels at most, and a plan has payloads at its
   * fifth.
   */
  private static final int DEEPEST_PAYLOAD = 496;

  private static final int DEEPEST_RESULT = 499;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final WorkflowDesign design;
  private final JsonNode payload;
  private final int longestPayload;
  private final Predicate<Step> successIsEnough;
  private final Map<String, List<StepTicket>> tickets = new HashMap<>();
  private final Map<String, JsonNode> results = new HashMap<>();
  private final Set<String> ended = new HashSet<>();
  private final Set<String> succeeded = new HashSet<>();
  private final Set<String> skipped = new HashSet<>();
  private final List<String> withoutTickets = new ArrayList<>();
  private final List<Plan.Begun> begins = new ArrayList<>();
  private long characters;

  /**
   * @param successIsEnough whether a step does not wait for the reviews of those before it
   */
  Planner(
      WorkflowDesign design,
      JsonNode payload,
      int longestPayload,
      Predicate<Step> successIsEnough,
      List<StepTicket> all) {
    this.design = design;
    this.payload = payload;
    this.longestPayload = longestPayload;
    this.successIsEnough = successIsEnough;
    all.forEach(each -> tickets.computeIfAbsent(each.step(), any -> new ArrayList<>()).add(each));
  }

  Plan plan() {
    for (Step step : design.steps()) {
      List<StepTicket> own = tickets.get(step.name());
      if (own != null) {
        Optional<StepTicket> lost =
            own.stream()
                .filter(each -> each.state() == TicketState.CANCELLED && !each.accepted())
                .filter(each -> step.onCancelled() != OnCancelled.RUN)
                .findFirst();
        if (lost.isPresent()) {
          return new Plan.Hold(
              ("dependency_cancelled: #%s of the step %s was cancelled; release it to go"
                      + " on without that one, or replay it from the step")
                  .formatted(lost.get().id(), step.name()));
        }
        look(step, own);
        continue;
      }
      try {
        begin(step);
      } catch (ExpressionException e) {
        return new Plan.CannotBegin("step " + step.name() + ": " + e.getMessage());
      }
    }
    return ended.size() == design.steps().size()
        ? new Plan.Done(result())
        : new Plan.Go(begins, withoutTickets, success(), succeeded.stream().sorted().toList());
  }

  /** Looks at a step that has begun. */
  private void look(Step step, List<StepTicket> own) {
    boolean done = own.stream().allMatch(each -> each.state().isFinal());
    boolean success =
        own.stream()
            .allMatch(each -> each.state().isFinal() || each.state() == TicketState.NEEDS_REVIEW);
    if (done) {
      ended.add(step.name());
    }
    if (success) {
      succeeded.add(step.name());
      long leftOut = own.getFirst().leftOut();
      results.put(
          step.name(), leftOut > 0 ? omitted(leftOut + " bytes", own.size()) : resultOf(step, own));
    }
  }

  private static JsonNode resultOf(Step step, List<StepTicket> own) {
    ArrayNode list = NODES.arrayNode();
    for (StepTicket each : own) {
      if (!each.isAdded()) {
        JsonNode result = each.result();
        list.add(result == null ? NODES.nullNode() : result);
      }
    }
    return step.forEach().isPresent() || list.isEmpty() ? list : list.get(0);
  }

  private void begin(Step step) {
    if (!(successIsEnough.test(step) ? succeeded : ended).containsAll(step.after())) {
      return;
    }
    Map<String, JsonNode> scope = new HashMap<>();
    scope.put("payload", payload);
    scope.put("results", resultsBefore(step));
    if (isSkipped(step, scope)) {
      skipped.add(step.name());
      endWithoutTickets(step);
      return;
    }
    List<JsonNode> payloads = new ArrayList<>();
    List<String> titles = new ArrayList<>();
    if (step.forEach().isPresent()) {
      JsonNode items = items(step.forEach().get().value(scope));
      for (int i = 0; i < items.size(); i++) {
        scope.put("item", items.get(i));
        scope.put("index", NODES.numberNode((long) i));
        addTicket(step, scope, payloads, titles);
      }
    } else {
      addTicket(step, scope, payloads, titles);
    }
    if (payloads.isEmpty()) {
      results.put(step.name(), NODES.arrayNode());
      endWithoutTickets(step);
      return;
    }
    begins.add(new Plan.Begun(step, payloads, titles));
  }

  private void addTicket(
      Step step, Map<String, JsonNode> scope, List<JsonNode> payloads, List<String> titles) {
    payloads.add(payload(step, scope));
    if (step.title() != null) {
      JsonNode title = step.title().value(scope);
      titles.add(title.isString() ? title.stringValue() : title.toString());
    }
  }

  private void endWithoutTickets(Step step) {
    withoutTickets.add(step.name());
    ended.add(step.name());
    succeeded.add(step.name());
  }

  /** A step after a skipped one is skipped too, unless it has a condition of its own. */
  private boolean isSkipped(Step step, Map<String, JsonNode> scope) {
    if (step.when().isEmpty()) {
      return step.after().stream().anyMatch(skipped::contains);
    }
    JsonNode answer = step.when().get().value(scope);
    if (!answer.isBoolean()) {
      throw new ExpressionException(
          "when: its value must be true or false, and is " + shown(answer));
    }
    return !answer.booleanValue();
  }

  private static JsonNode items(JsonNode list) {
    if (!list.isArray()) {
      throw new ExpressionException("for_each: its value must be a list, and is " + shown(list));
    }
    if (list.size() > MOST_ITEMS) {
      throw new ExpressionException(
          ("for_each: the list has %s items, and %s are allowed, for they begin in one"
                  + " transaction; let it be a list of parts, as in [[1, 2], [3, 4]], each of which"
                  + " is an item: replay the workflow from the step that makes the list once its"
                  + " design does that, or enqueue it anew if the payload has it")
              .formatted(list.size(), MOST_ITEMS));
    }
    return list;
  }

  private JsonNode payload(Step step, Map<String, JsonNode> scope) {
    JsonNode made = step.isHuman() ? question(step, scope) : step.payload().value(scope);
    if (JsonDepth.isDeeper(made, DEEPEST_PAYLOAD)) {
      throw new ExpressionException(
          ("payload: it is nested deeper than %s levels; let the step before write what is deeper"
                  + " as a string")
              .formatted(DEEPEST_PAYLOAD));
    }
    int length = made.toString().length();
    if (length > longestPayload) {
      throw new ExpressionException(
          "payload: it has %s characters, and %s are allowed (payload.max-bytes)"
              .formatted(length, longestPayload));
    }
    characters += length;
    if (characters > MOST_CHARACTERS) {
      throw new ExpressionException(
          ("payload: all that begin now have more than %s characters together, for which one"
                  + " transaction has no room; give each an address in place of what is large, or"
                  + " let it be fewer items")
              .formatted(MOST_CHARACTERS));
    }
    return made;
  }

  private static JsonNode question(Step step, Map<String, JsonNode> scope) {
    JsonNode ask = step.ask().value(scope);
    ObjectNode question =
        NODES.objectNode().put("ask", ask.isString() ? ask.stringValue() : ask.toString());
    if (step.form() != null) {
      question.set("schema", step.form());
    }
    return question;
  }

  private ObjectNode resultsBefore(Step step) {
    ObjectNode earlier = NODES.objectNode();
    for (String each : design.before().getOrDefault(step.name(), Set.of())) {
      JsonNode result = results.get(each);
      if (result != null) {
        earlier.set(each, result);
      }
    }
    return earlier;
  }

  /** Returns the steps before one for which a success is enough. */
  private List<String> success() {
    return design.steps().stream()
        .filter(successIsEnough)
        .flatMap(step -> step.after().stream())
        .distinct()
        .toList();
  }

  /**
   * Returns the results by step. What is too long for one result stays with the tickets of its
   * step.
   */
  private JsonNode result() {
    ObjectNode all = NODES.objectNode();
    long length = 0;
    for (Step step : design.steps()) {
      JsonNode result = results.get(step.name());
      if (result == null) {
        continue;
      }
      if (JsonDepth.isDeeper(result, DEEPEST_RESULT)) {
        all.set(
            step.name(),
            omitted(
                "more than " + DEEPEST_RESULT + " levels",
                tickets.getOrDefault(step.name(), List.of()).size()));
        continue;
      }
      int more = result.toString().length();
      length += more;
      if (length <= LONGEST_RESULT || isLeftOut(step)) {
        all.set(step.name(), result);
      } else {
        length -= more;
        all.set(
            step.name(),
            omitted(more + " characters", tickets.getOrDefault(step.name(), List.of()).size()));
      }
    }
    return all;
  }

  private boolean isLeftOut(Step step) {
    return tickets.getOrDefault(step.name(), List.of()).stream()
        .anyMatch(each -> each.leftOut() > 0);
  }

  private static ObjectNode omitted(String length, int tickets) {
    return NODES
        .objectNode()
        .put("omitted", length + "; the tickets of the step have them")
        .put("tickets", tickets);
  }

  private static String shown(JsonNode value) {
    return ShortText.of(value.toString(), 100);
  }
}
