package dev.holdfast.handler;

import dev.holdfast.ticket.StorableText;
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
    return node;
  }
}
