package dev.holdfast.tool.mcp;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schema of a tool's arguments in a form that every provider accepts. A provider that refuses a
 * part of it, even a correct one, would refuse every request of the session. The server checks its
 * calls itself.
 *
 * @param shown to the model
 * @param names of the arguments that are shown under others, by those
 */
record ToolSchema(ObjectNode shown, Map<String, String> names) {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final String PROPERTIES = "properties";

  /** The keys that neither OpenAI nor Anthropic accepts beside the type. */
  private static final List<String> NOT_AT_TOP = List.of("anyOf", "oneOf", "allOf", "not", "enum");

  /** The form of an argument's name that Anthropic accepts. */
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");

  private static final int BEFORE_HASH = 55;

  /**
   * @param listed null where the server lists none
   */
  static ToolSchema of(@Nullable Object listed) {
    ObjectNode schema =
        listed == null ? MAPPER.createObjectNode() : MAPPER.<ObjectNode>valueToTree(listed);
    ObjectNode all = MAPPER.createObjectNode();
    NOT_AT_TOP.forEach(each -> schema.path(each).forEach(branch -> add(branch, all)));
    add(schema, all);
    schema.put("type", "object").remove(NOT_AT_TOP);
    Map<String, String> names = new HashMap<>();
    ObjectNode properties = schema.putObject(PROPERTIES);
    all.forEachEntry(
        (name, value) -> {
          String plain = plain(name);
          properties.set(plain, value);
          if (!plain.equals(name)) {
            names.put(plain, name);
          }
        });
    if (schema.path("required").isArray()) {
      List<String> required =
          schema.path("required").valueStream().map(each -> plain(each.asString(""))).toList();
      schema.set("required", MAPPER.valueToTree(required));
    }
    schema.remove("$schema"); // the older draft's name
    SchemaDraft.renew(schema);
    schema.forEach(ToolSchema::addItems);
    return new ToolSchema(schema, Map.copyOf(names));
  }

  /** Adds a schema's arguments; the last description of an argument counts. */
  private static void add(JsonNode schema, ObjectNode all) {
    if (schema.path(PROPERTIES) instanceof ObjectNode properties) {
      all.setAll(properties);
    }
  }

  private static String plain(String name) {
    if (NAME.matcher(name).matches()) {
      return name;
    }
    String start = name.substring(0, Math.min(name.length(), BEFORE_HASH));
    String hash = String.format(Locale.ROOT, "_%08x", name.hashCode());
    return start.replaceAll("[^a-zA-Z0-9_.-]", "_") + hash;
  }

  /** Returns the arguments under the names that the server knows. */
  Map<String, Object> named(Map<String, Object> arguments) {
    Map<String, Object> named = new HashMap<>();
    arguments.forEach((name, value) -> named.put(names.getOrDefault(name, name), value));
    return named;
  }

  /**
   * Adds empty items to arrays without any. OpenAI wants to know the items of an array; empty ones
   * mean anything.
   */
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
