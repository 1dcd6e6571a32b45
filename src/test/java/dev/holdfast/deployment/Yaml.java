package dev.holdfast.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** YAML with anchors and merge keys, which YAML 1.2 and so our own parser leave out. */
final class Yaml {
  private Yaml() {}

  static List<JsonNode> documents(Path file) throws IOException {
    return documents(Files.readString(file));
  }

  static List<JsonNode> documents(String text) {
    Load load = new Load(LoadSettings.builder().setAllowDuplicateKeys(false).build());
    List<JsonNode> documents = new ArrayList<>();
    for (Object document : load.loadAllFromString(text)) {
      documents.add(new JsonMapper().valueToTree(merged(document)));
    }
    return documents;
  }

  private static Object merged(Object value) {
    return switch (value) {
      case Map<?, ?> map -> merged(map);
      case List<?> list -> list.stream().map(Yaml::merged).toList();
      default -> value;
    };
  }

  private static Map<Object, Object> merged(Map<?, ?> map) {
    Map<Object, Object> all = new LinkedHashMap<>();
    if (map.get("<<") instanceof Map<?, ?> below) {
      all.putAll(merged(below));
    }
    map.forEach(
        (key, value) -> {
          if (!key.equals("<<")) {
            all.put(key, merged(value));
          }
        });
    return all;
  }
}
