package dev.holdfast.workflow;

import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A step of a workflow's design.
 *
 * @param design which works its tickets; null for a person's step
 * @param after the names of the steps it waits for
 * @param payload of its tickets
 * @param when a condition, without which it is skipped
 * @param forEach a list, for each of whose items it has a ticket
 * @param breadth how many of these run at once; null is all
 * @param ask the question of a person's step
 * @param form a JSON schema of the answer; null takes a text
 * @param title of its tickets; null is made of the workflow's
 * @param queue of its tickets; null is the workflow's
 * @param priority of its tickets; null is the workflow's
 * @param onCancelled what becomes of the workflow where a person cancels one of its tickets
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
    Set<String> uses) {
  private static final Pattern RESULT =
      Pattern.compile("(?<![.\\w])results(?:\\.([A-Za-z_]\\w*)|\\[\\s*[\"']([^\"']*)[\"']\\s*])");

  boolean isHuman() {
    return design == null;
  }

  /**
   * @param json valid by the schema of designs
   * @throws ExpressionException if a template or an expression cannot be read
   */
  static Step of(String name, JsonNode json) {
    Set<String> uses = new LinkedHashSet<>();
    Template payload = Template.of(json.path("payload").isObject() ? json.get("payload") : empty());
    payload.expressions(text -> uses(text, uses));
    Template ask =
        Template.of(
            json.hasNonNull("ask")
                ? json.get("ask")
                : JsonNodeFactory.instance.stringNode("The step \"" + name + "\" asks you."));
    ask.expressions(text -> uses(text, uses));
    Template title = json.hasNonNull("title") ? Template.of(json.get("title")) : null;
    if (title != null) {
      title.expressions(text -> uses(text, uses));
    }
    List<String> after = new ArrayList<>();
    json.path("after").forEach(each -> after.add(each.asString("")));
    return new Step(
        name,
        json.path("design").stringValueOpt().orElse(null),
        after,
        payload,
        expression(json.path("when"), uses),
        expression(json.path("for_each"), uses),
        json.path("breadth").isInt() ? json.path("breadth").intValue() : null,
        ask,
        json.get("form"),
        title,
        json.path("queue").stringValueOpt().orElse(null),
        json.path("priority").isInt() ? json.path("priority").intValue() : null,
        OnCancelled.valueOf(json.path("on_cancelled").asString("hold").toUpperCase(Locale.ROOT)),
        uses);
  }

  private static JsonNode empty() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static Optional<Expression> expression(JsonNode json, Set<String> uses) {
    if (!json.isString()) {
      return Optional.empty();
    }
    uses(json.stringValue(), uses);
    return Optional.of(Expression.of(json.stringValue()));
  }

  /** The steps whose results an expression names. */
  private static void uses(String expression, Set<String> uses) {
    Matcher result = RESULT.matcher(expression);
    while (result.find()) {
      uses.add(result.group(1) == null ? result.group(2) : result.group(1));
    }
  }
}
