package dev.holdfast.postgres;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The one JSON mapper of this package; immutable and thread-safe. */
final class Json {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Json() {}

  static JsonNode parse(String text) {
    return MAPPER.readTree(text);
  }

  static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  static <T> T convert(JsonNode node, Class<T> type) {
    return MAPPER.treeToValue(node, type);
  }
}
