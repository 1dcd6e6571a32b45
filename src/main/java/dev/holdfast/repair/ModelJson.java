package dev.holdfast.repair;

import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds the JSON object in a model's answer, whatever prose is around it. */
final class ModelJson {
  private ModelJson() {}

  static Optional<JsonNode> in(String answer) {
    int from = answer.indexOf('{');
    int to = answer.lastIndexOf('}');
    if (from < 0 || to < from) {
      return Optional.empty();
    }
    try {
      JsonNode node = JsonMapper.shared().readTree(answer.substring(from, to + 1));
      return node.isObject() ? Optional.of(node) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
