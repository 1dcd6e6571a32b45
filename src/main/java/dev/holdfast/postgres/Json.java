package dev.holdfast.postgres;

import dev.holdfast.schema.ExactJson;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The one JSON mapper of this package; immutable and thread-safe. */
public final class Json {
  private static final JsonMapper MAPPER =
      ExactJson.ofAnyLength().disable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private Json() {}

  public static JsonNode parse(String text) {
    return MAPPER.readTree(text);
  }

  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  public static <T> T convert(JsonNode node, Class<T> type) {
    // We do not use treeToValue: in Jackson 3.0, which Spring Boot 4.0 brings, it is a different
    // method.
    return MAPPER.readerFor(type).readValue(node);
  }
}
