package dev.holdfast.workflow;

import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A step of a workflow's design.
 *
 * @param design the design that works its tickets; null for a person's step
 * @param after the names of the steps it waits for
 * @param payload the payload of its tickets
 * @param when a condition; if it is not met, the step is skipped
 * @param forEach a list; the step has a ticket for each of its items
 * @param breadth how many of these run at once; null is all
 * @param ask the question of a person's step
 * @param form a JSON schema of the answer; null takes a text
 * @param title the title of its tickets; null makes one from the workflow's
 * @param queue the queue of its tickets; null is the workflow's
 * @param priority the priority of its tickets; null is the workflow's
 * @param onCancelled what becomes of the workflow if a person cancels one of its tickets
 */
record Step(
    String name,
    @Nullable String design,
    List<String> after,
    Template payload,
    Optional<Expression> when,
    Optional<Expression> forEach,
    @Nullable Integer breadth,
    Template ask,
    @Nullable JsonNode form,
    @Nullable Template title,
    @Nullable String queue,
    @Nullable Integer priority,
    OnCancelled onCancelled,
    UsedResults uses) {
  boolean isHuman() {
    return design == null;
  }

  /**
   * @param json a step that is valid by the schema of designs
   * @throws ExpressionException if a template or an expression cannot be read
   */
  static Step of(String name, JsonNode json) {
    List<String> expressions = new ArrayList<>();
    Template payload = Template.of(json.path("payload").isObject() ? json.get("payload") : empty());
    payload.expressions(expressions::add);
    Template ask =
        Template.of(
            json.hasNonNull("ask")
                ? json.get("ask")
                : JsonNodeFactory.instance.stringNode("The step \"" + name + "\" asks you."));
    ask.expressions(expressions::add);
    Template title = json.hasNonNull("title") ? Template.of(json.get("title")) : null;
    if (title != null) {
      title.expressions(expressions::add);
    }
    List<String> after = new ArrayList<>();
    json.path("after").forEach(each -> after.add(each.asString("")));
    return new Step(
        name,
        json.path("design").stringValueOpt().orElse(null),
        after,
        payload,
        expression(json.path("when"), expressions),
        expression(json.path("for_each"), expressions),
        json.path("breadth").isInt() ? json.path("breadth").intValue() : null,
        ask,
        json.get("form"),
        title,
        json.path("queue").stringValueOpt().orElse(null),
        json.path("priority").isInt() ? json.path("priority").intValue() : null,
        OnCancelled.valueOf(json.path("on_cancelled").asString("hold").toUpperCase(Locale.ROOT)),
        UsedResults.of(expressions));
  }

  private static JsonNode empty() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static Optional<Expression> expression(JsonNode json, List<String> seen) {
    if (!json.isString()) {
      return Optional.empty();
    }
    seen.add(json.stringValue());
    return Optional.of(Expression.of(json.stringValue()));
  }
}
