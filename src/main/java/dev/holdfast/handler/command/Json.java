package dev.holdfast.handler.command;

import dev.holdfast.schema.ExactJson;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON that programs are given and give. Numbers keep their digits. */
final class Json {
  static final JsonMapper MAPPER =
      ExactJson.ofAnyLength().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** The same, but each key stands in its object once. */
  static final JsonMapper STRICT =
      MAPPER.rebuild().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private Json() {}
}
