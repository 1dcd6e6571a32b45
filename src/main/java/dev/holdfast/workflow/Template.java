package dev.holdfast.workflow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON in whose texts <code>${…}</code> stands for the value of an expression. A text that is
 * nothing else becomes the value itself; in a longer text the value is written as words. <code>$${
 * </code> is a <code>${</code> as it is. Immutable.
 */
sealed interface Template {
  JsonNodeFactory NODES = JsonNodeFactory.instance;

  /**
   * @throws ExpressionException that names a text that is no expression
   */
  static Template of(JsonNode json) {
    if (json.isString()) {
      return ofText(json.stringValue());
    }
    if (json.isObject()) {
      Map<String, Template> fields = new LinkedHashMap<>();
      json.forEachEntry((key, value) -> fields.put(key, of(value)));
      return new Fields(fields);
    }
    if (json.isArray()) {
      List<Template> items = new ArrayList<>();
      json.forEach(each -> items.add(of(each)));
      return new Items(items);
    }
    return new Constant(json);
  }

  private static Template ofText(String text) {
    List<Template> parts = new ArrayList<>();
    StringBuilder words = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      if (text.startsWith("$${", at)) {
        words.append("${");
        at += 3;
      } else if (text.startsWith("${", at)) {
        int end = end(text, at + 2);
        if (!words.isEmpty()) {
          parts.add(new Constant(NODES.stringNode(words.toString())));
          words.setLength(0);
        }
        parts.add(
            new Value(text.substring(at + 2, end), Expression.of(text.substring(at + 2, end))));
        at = end + 1;
      } else {
        words.append(text.charAt(at));
        at++;
      }
    }
    if (parts.isEmpty()) {
      return new Constant(NODES.stringNode(words.toString()));
    }
    if (!words.isEmpty()) {
      parts.add(new Constant(NODES.stringNode(words.toString())));
    }
    return parts.size() == 1 ? parts.getFirst() : new Words(parts);
  }

  /** Returns the place where the brace closes; braces within it and in its texts do not count. */
  private static int end(String text, int from) {
    int depth = 0;
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        if (c == '\\') {
          i++;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{') {
        depth++;
      } else if (c == '}' && depth-- == 0) {
        return i;
      }
    }
    throw new ExpressionException(
        "\"" + text + "\" has a ${ without its }; write $${ for one as it is");
  }

  /**
   * @throws ExpressionException if an expression has no value there
   */
  JsonNode value(Map<String, JsonNode> scope);

  /** Shows the text of each expression. */
  void expressions(Consumer<String> seen);

  record Constant(JsonNode json) implements Template {
    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      return json;
    }

    @Override
    public void expressions(Consumer<String> seen) {}
  }

  record Value(String text, Expression expression) implements Template {
    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      return expression.value(scope);
    }

    @Override
    public void expressions(Consumer<String> seen) {
      seen.accept(text);
    }
  }

  record Words(List<Template> parts) implements Template {
    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      return NODES.stringNode(
          parts.stream().map(each -> words(each.value(scope))).collect(Collectors.joining()));
    }

    private static String words(JsonNode value) {
      return value.isString() ? value.stringValue() : value.toString();
    }

    @Override
    public void expressions(Consumer<String> seen) {
      parts.forEach(each -> each.expressions(seen));
    }
  }

  record Fields(Map<String, Template> fields) implements Template {
    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      ObjectNode object = NODES.objectNode();
      fields.forEach((key, each) -> object.set(key, each.value(scope)));
      return object;
    }

    @Override
    public void expressions(Consumer<String> seen) {
      fields.values().forEach(each -> each.expressions(seen));
    }
  }

  record Items(List<Template> items) implements Template {
    @Override
    public JsonNode value(Map<String, JsonNode> scope) {
      ArrayNode array = NODES.arrayNode();
      items.forEach(each -> array.add(each.value(scope)));
      return array;
    }

    @Override
    public void expressions(Consumer<String> seen) {
      items.forEach(each -> each.expressions(seen));
    }
  }
}
