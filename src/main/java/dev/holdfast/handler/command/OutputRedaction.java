package dev.holdfast.handler.command;

import dev.holdfast.handler.StorableJson;
import dev.holdfast.secret.Secrets;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Makes a program's output fit to be stored. Replaces the values of variables that its design had
 * passed on to it by their names, and takes out characters that PostgreSQL's JSON refuses.
 */
final class OutputRedaction {
  private final Map<String, String> nameByValue = new HashMap<>();
  private final Secrets secrets;

  OutputRedaction(CommandDesign design, Map<String, String> environment) {
    for (String name : design.passEnvironment()) {
      nameByValue.put(environment.getOrDefault(name, ""), name);
    }
    secrets = Secrets.of(nameByValue);
  }

  /** The values that nobody may read, with their names. */
  Map<String, String> hidden() {
    return nameByValue;
  }

  String of(String text) {
    return secrets.redact(text.replace("\0", ""));
  }

  /** Does the same for every key, text and number of a result. */
  JsonNode of(JsonNode node) {
    return StorableJson.of(node, this::of);
  }
}
