package dev.holdfast.schema;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON whose numbers keep their digits. Read as doubles they are rounded, and 1e400 becomes a text.
 */
public final class ExactJson {
  public static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  // PostgreSQL's numeric has 131,072 digits before the point and 16,383 after it.
  private static final int LONGEST_NUMBER = 150_000;

  private ExactJson() {}

  /**
   * Makes a builder for a mapper that reads any number that the database may have, with its digits.
   */
  public static JsonMapper.Builder ofAnyLength() {
    return JsonMapper.builder(
            JsonFactory.builder()
                .streamReadConstraints(
                    StreamReadConstraints.builder().maxNumberLength(LONGEST_NUMBER).build())
                .build())
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  }
}
