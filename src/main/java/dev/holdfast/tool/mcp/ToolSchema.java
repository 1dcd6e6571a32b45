package dev.holdfast.tool.mcp;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schema of a tool's arguments as every provider takes it. What one of them refuses, though it
 * is right, would have it refuse every request of the session. The server checks its calls itself.
 */
final class ToolSchema {
  private static final JsonMapper MAPPER = new JsonMapper();

  /** Neither OpenAI nor Anthropic takes these beside the type. */
  private static final List<String> NOT_AT_TOP = List.of("anyOf", "oneOf", "allOf", "not", "enum");

  private ToolSchema() {}

  /**
   * @param listed null where the server lists none
   */
  static ObjectNode of(@Nullable Object listed) {
    ObjectNode schema =
        listed == null ? MAPPER.createObjectNode() : MAPPER.<ObjectNode>valueToTree(listed);
    schema.put("type", "object").remove(NOT_AT_TOP);
    if (!schema.path("properties").isObject()) {
      schema.putObject("properties");
    }
    schema.forEach(ToolSchema::addItems);
    return schema;
  }

  /** To OpenAI an array has to say of what; that of anything says nothing. */
  private static void addItems(JsonNode node) {
    if (node instanceof ObjectNode schema && isArray(schema.path("type")) && !schema.has("items")) {
      schema.putObject("items");
    }
    node.forEach(ToolSchema::addItems);
  }

  private static boolean isArray(JsonNode type) {
    return type.asString("").equals("array")
        || (type.isArray() && type.valueStream().anyMatch(ToolSchema::isArray));
  }
}
