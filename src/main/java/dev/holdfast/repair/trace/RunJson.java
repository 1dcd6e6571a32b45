package dev.holdfast.repair.trace;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Steps and events of runs as JSON. Thread-safe. */
public final class RunJson {
  public static final JsonMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private RunJson() {}

  /** {@code {"type": ..., "payload": {...}}}. */
  static ObjectNode event(RunEvent event) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("type", event.getClass().getSimpleName());
    json.set("payload", MAPPER.valueToTree(event));
    return json;
  }

  static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }
}
