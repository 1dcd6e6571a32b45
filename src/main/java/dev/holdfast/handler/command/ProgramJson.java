package dev.holdfast.handler.command;

import dev.holdfast.schema.ExactJson;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON of programs' inputs and outputs. Numbers keep their digits. */
final class ProgramJson {
  static final JsonMapper MAPPER =
      ExactJson.ofAnyLength().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** The same mapper, but it refuses an object that has a key twice. */
  static final JsonMapper STRICT =
      MAPPER.rebuild().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private ProgramJson() {}
}
