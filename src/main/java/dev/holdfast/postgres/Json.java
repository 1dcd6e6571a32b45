package dev.holdfast.postgres;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The one JSON mapper of this package; immutable and thread-safe. */
public final class Json {
  // PostgreSQL's numeric has 131,072 digits before the point and 16,383 behind it.
  private static final int LONGEST_NUMBER = 150_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNumberLength(LONGEST_NUMBER).build())
                  .build())
          .build();

  private Json() {}

  public static JsonNode parse(String text) {
    return MAPPER.readTree(text);
  }

  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  public static <T> T convert(JsonNode node, Class<T> type) {
    // Not treeToValue: Jackson 3.0, as Spring Boot 4.0 brings it, has another one.
    return MAPPER.readerFor(type).readValue(node);
  }
}
