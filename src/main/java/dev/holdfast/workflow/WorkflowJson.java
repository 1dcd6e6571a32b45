package dev.holdfast.workflow;

import dev.holdfast.schema.ExactJson;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Payloads and results as templates see them. Numbers keep their digits. */
public final class WorkflowJson {
  static final JsonMapper MAPPER = ExactJson.ofAnyLength().build();

  private WorkflowJson() {}

  public static JsonNode parse(String json) {
    return MAPPER.readTree(json);
  }
}
