package dev.holdfast.secret;

import java.util.function.UnaryOperator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Changes the texts of a JSON document. A number becomes a text where it must be changed. */
final class SecretJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  // PostgreSQL's numeric has 131,072 digits before the point and 16,383 after it.
  private static final int LONGEST_NUMBER = 150_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNumberLength(LONGEST_NUMBER)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private SecretJson() {}

  /**
   * A document that was read, changed and written.
   *
   * @param json if a key stood twice, it has only the last value
   * @param changed whether a text or a number of it was changed
   */
  record Changed(String json, boolean changed) {}

  /**
   * Returns the document with every text changed.
   *
   * @throws tools.jackson.core.JacksonException if it is no JSON
   * @throws NumberFormatException if the exponent of a number is beyond 32 bits
   */
  static Changed change(String json, UnaryOperator<String> change) {
    JsonNode before = MAPPER.readTree(json);
    JsonNode after = of(before, change);
    return new Changed(MAPPER.writeValueAsString(after), !after.equals(before));
  }

  private static JsonNode of(JsonNode node, UnaryOperator<String> change) {
    if (node.isObject()) {
      ObjectNode copy = NODES.objectNode();
      node.forEachEntry((key, value) -> copy.set(change.apply(key), of(value, change)));
      return copy;
    }
    if (node.isArray()) {
      ArrayNode copy = NODES.arrayNode();
      node.forEach(each -> copy.add(of(each, change)));
      return copy;
    }
    if (node.isString()) {
      return NODES.stringNode(change.apply(node.stringValue()));
    }
    String text = node.toString();
    String changed = change.apply(text);
    return changed.equals(text) ? node : NODES.stringNode(changed);
  }
}
