package dev.holdfast.failure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.type.TypeReference;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The built-in rules, read once from the resources next to this class. */
final class RuleTable {
  /** The files, in the order in which their rules stand within a stage. */
  private static final List<String> FILES =
      List.of(
          "rules.yaml", "languages.yaml", "os-messages.yaml", "tool-messages.yaml", "guesses.yaml");

  private RuleTable() {}

  private static final class Holder {
    static final List<Rule> RULES = load();
  }

  static List<Rule> builtIn() {
    return Holder.RULES;
  }

  private static List<Rule> load() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (String file : FILES) {
      all.addAll(read(file));
    }
    return List.copyOf(RuleParser.parseAll(all, List.of()));
  }

  private static List<Map<String, Object>> read(String file) {
    try (InputStream in = RuleTable.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(
            "the jar lacks dev/holdfast/failure/" + file + "; build it again");
      }
      return new YAMLMapper().readValue(in, new TypeReference<List<Map<String, Object>>>() {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
