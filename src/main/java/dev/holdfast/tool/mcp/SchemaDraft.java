package dev.holdfast.tool.mcp;

import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Rewrites what older drafts of JSON Schema say in another way than the draft 2020-12. Many servers
 * list such schemas, and Anthropic refuses them.
 */
final class SchemaDraft {
  private static final String ITEMS = "items";
  private static final String MORE_ITEMS = "additionalItems";
  private static final String REQUIRED = "required";

  private SchemaDraft() {}

  /** Rewrites a schema, or a list of them, and all schemas within. */
  static void renew(JsonNode node) {
    if (node instanceof ObjectNode schema) {
      renewKeywords(schema);
      schema.forEachEntry(SchemaDraft::renewWithin);
    } else if (node.isArray()) {
      node.forEach(SchemaDraft::renew);
    }
  }

  private static void renewWithin(String keyword, JsonNode value) {
    switch (keyword) {
      case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas" ->
          value.forEach(SchemaDraft::renew);
      case "default", "const", "enum", "examples" -> {
        // These are values, whose keys say nothing of a schema.
      }
      default -> renew(value);
    }
  }

  private static void renewKeywords(ObjectNode schema) {
    renewBound(schema, "exclusiveMinimum", "minimum");
    renewBound(schema, "exclusiveMaximum", "maximum");
    renewItems(schema);
    if (schema.path(REQUIRED).isBoolean() || schema.path(REQUIRED).isNull()) {
      schema.remove(REQUIRED);
    }
  }

  /** Up to draft 4 it is said beside a bound whether it is exclusive. */
  private static void renewBound(ObjectNode schema, String exclusive, String bound) {
    if (schema.path(exclusive).isBoolean()
        && schema.remove(exclusive).booleanValue()
        && schema.has(bound)) {
      schema.set(exclusive, schema.remove(bound));
    }
  }

  /**
   * Up to draft 2019-09 items may have a schema each. The rewritten ones may be any of these,
   * because not every provider knows how they are said one by one now.
   */
  private static void renewItems(ObjectNode schema) {
    if (!schema.path(ITEMS).isArray()) {
      return;
    }
    Set<JsonNode> kinds = new LinkedHashSet<>(schema.remove(ITEMS).valueStream().toList());
    JsonNode more = schema.path(MORE_ITEMS);
    boolean isOpen = !more.isObject() && !more.isBoolean() && !schema.has("maxItems");
    // A reference often leads to one of the items, and their place is no more.
    if (more.isObject() && !more.has("$ref")) {
      kinds.add(more);
    }
    schema.remove(MORE_ITEMS);
    if (isOpen || kinds.isEmpty() || more.booleanValue(false)) {
      schema.putObject(ITEMS);
    } else if (kinds.size() == 1) {
      schema.set(ITEMS, kinds.iterator().next());
    } else {
      schema.putObject(ITEMS).putArray("anyOf").addAll(kinds);
    }
  }
}
