package dev.holdfast.handler;

import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Takes out of results what PostgreSQL's JSON refuses: NULs and halves of surrogate pairs. */
public final class StorableJson {
  private static final JsonNodeFactory NODES = new JsonNodeFactory();

  private StorableJson() {}

  public static JsonNode of(JsonNode node) {
    return of(node, text -> text);
  }

  /**
   * @param change of every key and text, before it is made fit
   */
  public static JsonNode of(JsonNode node, UnaryOperator<String> change) {
    if (node.isString()) {
      return NODES.stringNode(text(change.apply(node.stringValue())));
    }
    if (node.isObject()) {
      ObjectNode copy = NODES.objectNode();
      node.forEachEntry((key, value) -> copy.set(text(change.apply(key)), of(value, change)));
      return copy;
    }
    if (node.isArray()) {
      ArrayNode copy = NODES.arrayNode();
      node.forEach(each -> copy.add(of(each, change)));
      return copy;
    }
    return node;
  }

  /** A surrogate without its other half is no character. */
  private static String text(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .filter(each -> each != 0)
        .forEach(each -> safe.appendCodePoint(isSurrogate(each) ? 0xFFFD : each));
    return safe.toString();
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
