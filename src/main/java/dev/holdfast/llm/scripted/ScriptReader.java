package dev.holdfast.llm.scripted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads scripts. An unknown key is an error, because it is probably a typing mistake. */
final class ScriptReader {
  private ScriptReader() {}

  static Script read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      String why = e instanceof NoSuchFileException ? "there is no such file" : e.toString();
      throw new InvalidScriptException("the script " + file + " cannot be read: " + why, e);
    }
    try {
      return read(text);
    } catch (InvalidScriptException e) {
      throw new InvalidScriptException(file + ": " + e.getMessage(), e);
    }
  }

  static Script read(String yaml) {
    JsonNode root = tree(yaml);
    known(root, "the script", Set.of("steps", "models"));
    Map<String, List<ScriptStep>> byModel = new HashMap<>();
    for (Map.Entry<String, JsonNode> model : root.path("models").properties()) {
      String place = "models." + model.getKey();
      known(model.getValue(), place, Set.of("steps"));
      byModel.put(model.getKey(), steps(model.getValue().path("steps"), place + ".steps"));
    }
    List<ScriptStep> common = steps(root.path("steps"), "steps");
    if (common.isEmpty() && byModel.isEmpty()) {
      throw new InvalidScriptException(
          "the script has no steps: write a list under \"steps\"", null);
    }
    return new Script(common, byModel);
  }

  private static JsonNode tree(String yaml) {
    try {
      return new YAMLMapper().readTree(yaml);
    } catch (JacksonException e) {
      throw new InvalidScriptException(
          "the script is neither YAML nor JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static List<ScriptStep> steps(JsonNode list, String place) {
    if (list.isMissingNode()) {
      return List.of();
    }
    if (!list.isArray()) {
      throw new InvalidScriptException(place + " must be a list", null);
    }
    List<ScriptStep> steps = new ArrayList<>();
    for (JsonNode step : list) {
      String at = place + "[" + steps.size() + "]";
      try {
        steps.add(StepReader.read(step, at));
      } catch (InvalidScriptException e) {
        throw e;
      } catch (IllegalArgumentException e) {
        throw new InvalidScriptException(at + ": " + e.getMessage(), e);
      }
    }
    return steps;
  }

  static void known(JsonNode node, String place, Set<String> keys) {
    if (!node.isObject()) {
      throw new InvalidScriptException(place + " must be an object", null);
    }
    for (String key : node.propertyNames()) {
      if (!keys.contains(key)) {
        throw new InvalidScriptException(
            "%s has the unknown key \"%s\"; known are %s"
                .formatted(place, key, String.join(", ", keys.stream().sorted().toList())),
            null);
      }
    }
  }
}
