package dev.holdfast.handler.command;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON that programs are given and give. Numbers keep their digits. */
final class Json {
  // PostgreSQL's numeric has 131,072 digits before the point and 16,383 behind it.
  private static final int LONGEST_NUMBER = 150_000;

  static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNumberLength(LONGEST_NUMBER).build())
                  .build())
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /** The same, but each key stands in its object once. */
  static final JsonMapper STRICT =
      MAPPER.rebuild().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private Json() {}
}
