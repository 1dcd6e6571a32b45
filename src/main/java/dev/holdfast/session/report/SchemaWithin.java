package dev.holdfast.session.report;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A schema as a part of another one: its references to itself lead to where it is then. */
final class SchemaWithin {
  private static final String PLACE = "#/properties/data";

  private SchemaWithin() {}

  /**
   * Adapts the references of a schema. A schema with an {@code $id} stays a document of its own,
   * with the references inside it.
   */
  static JsonNode of(JsonNode schema) {
    if (schema instanceof ArrayNode list) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      list.forEach(each -> copy.add(of(each)));
      return copy;
    }
    if (!(schema instanceof ObjectNode object) || object.path("$id").isString()) {
      return schema;
    }
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    object.forEachEntry((key, value) -> copy.set(key, of(key, value)));
    return copy;
  }

  private static JsonNode of(String key, JsonNode value) {
    if (key.equals("$ref") && value.isString() && value.stringValue().matches("#(?:/.*)?")) {
      return JsonNodeFactory.instance.stringNode(PLACE + value.stringValue().substring(1));
    }
    return of(value);
  }
}
