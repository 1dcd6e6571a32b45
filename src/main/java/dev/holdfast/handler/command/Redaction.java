package dev.holdfast.handler.command;

import dev.holdfast.handler.StorableJson;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Makes what a program said fit to be stored: the values of variables that its design had passed on
 * to it are replaced by their names, and characters that PostgreSQL's JSON refuses are taken out.
 */
final class Redaction {
  /** A shorter value is found in innocent text too. */
  private static final int MIN_SECRET = 8;

  private final Map<String, String> nameByValue = new HashMap<>();

  Redaction(CommandDesign design, Map<String, String> environment) {
    for (String name : design.passEnvironment()) {
      String value = environment.getOrDefault(name, "");
      if (value.length() >= MIN_SECRET) {
        nameByValue.put(value, name);
      }
    }
  }

  /** The values that nobody may read, with their names. */
  Map<String, String> hidden() {
    return nameByValue;
  }

  String of(String text) {
    String safe = text.replace("\0", "");
    for (Map.Entry<String, String> each : nameByValue.entrySet()) {
      safe = safe.replace(each.getKey(), "[" + each.getValue() + "]");
    }
    return safe;
  }

  /** The same for every key and text of a result. */
  JsonNode of(JsonNode node) {
    return StorableJson.of(node, this::of);
  }
}
