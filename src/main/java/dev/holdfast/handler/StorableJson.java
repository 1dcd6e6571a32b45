package dev.holdfast.handler;

import dev.holdfast.ticket.StorableText;
import java.math.BigDecimal;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes results fit for PostgreSQL's JSON. It takes out NULs and halves of surrogate pairs, which
 * PostgreSQL refuses. It turns numbers into strings that PostgreSQL would write out with thousands
 * of digits, such as 1e131071. So a result is not much longer as text than it was sent.
 */
public final class StorableJson {
  private static final JsonNodeFactory NODES = new JsonNodeFactory();

  /** The most digits of a number; the largest double has 309. */
  private static final int MOST_DIGITS = 400;

  private StorableJson() {}

  public static JsonNode of(JsonNode node) {
    return of(node, text -> text);
  }

  /**
   * @param change of every key and text, before it is made fit; a number that it changes becomes a
   *     text
   */
  public static JsonNode of(JsonNode node, UnaryOperator<String> change) {
    if (node.isString()) {
      return NODES.stringNode(StorableText.of(change.apply(node.stringValue())));
    }
    if (node.isObject()) {
      ObjectNode copy = NODES.objectNode();
      node.forEachEntry(
          (key, value) -> copy.set(StorableText.of(change.apply(key)), of(value, change)));
      return copy;
    }
    if (node.isArray()) {
      ArrayNode copy = NODES.arrayNode();
      node.forEach(each -> copy.add(of(each, change)));
      return copy;
    }
    if (node.isNumber()) {
      return number(node, change);
    }
    return node;
  }

  private static JsonNode number(JsonNode node, UnaryOperator<String> change) {
    String text = node.asString();
    String changed = change.apply(text);
    if (!changed.equals(text)) {
      return NODES.stringNode(changed);
    }
    return node.isBigDecimal() && writtenDigits(node.decimalValue()) > MOST_DIGITS
        ? NODES.stringNode(text)
        : node;
  }

  /** Returns the number of digits without an exponent. */
  private static long writtenDigits(BigDecimal number) {
    long scale = number.scale();
    return Math.max(scale, number.precision() - Math.min(scale, 0));
  }
}
