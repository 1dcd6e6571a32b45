package dev.holdfast.repair;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON object in a model's answer, whatever prose is around it.
 *
 * @param node an empty object where the answer has none that can be read
 * @param error of the parser; "" where there is one
 */
record ModelJson(JsonNode node, String error) {
  static ModelJson in(String answer) {
    int from = answer.indexOf('{');
    int to = answer.lastIndexOf('}');
    if (from < 0 || to < from) {
      return unreadable("there is no {...} in it");
    }
    try {
      // This is an object, because it begins with a brace.
      return new ModelJson(JsonMapper.shared().readTree(answer.substring(from, to + 1)), "");
    } catch (JacksonException e) {
      return unreadable(e.getOriginalMessage());
    }
  }

  static ModelJson unreadable(String error) {
    return new ModelJson(JsonMapper.shared().createObjectNode(), error);
  }
}
