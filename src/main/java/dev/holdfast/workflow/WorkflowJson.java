package dev.holdfast.workflow;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Payloads and results as templates see them. Numbers keep their digits. */
public final class WorkflowJson {
  // PostgreSQL's numeric has 131,072 digits before the point and 16,383 behind it.
  private static final int LONGEST_NUMBER = 150_000;

  static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNumberLength(LONGEST_NUMBER).build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private WorkflowJson() {}

  public static JsonNode parse(String json) {
    return MAPPER.readTree(json);
  }
}
