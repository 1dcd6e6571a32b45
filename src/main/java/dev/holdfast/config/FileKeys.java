package dev.holdfast.config;

import dev.holdfast.config.Values.Given;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns the nested maps of a file into keys with dots, and refuses what is not in the table. */
final class FileKeys {
  /** YAML's sign for no value, which the reader takes for text. */
  private static final String NOTHING = "~";

  /** The parts of all keys, under their names with underscores. */
  private static final Map<String, String> PARTS =
      Keys.ALL.stream()
          .flatMap(key -> Stream.of(key.name().split("\\.", -1)))
          .collect(
              Collectors.toUnmodifiableMap(
                  FileKeys::underscored, part -> part, (first, second) -> first));

  private final String file;
  private final Map<String, Given> given = new HashMap<>();

  FileKeys(String file) {
    this.file = file;
  }

  Map<String, Given> flatten(Map<?, ?> document) {
    flatten("", document);
    return given;
  }

  private void flatten(String prefix, Map<?, ?> section) {
    section.forEach((name, value) -> add(prefix + plain(name), value));
  }

  /**
   * Returns the name as keys have it. Hyphen and underscore are the same, as in the environment.
   */
  private static String plain(@Nullable Object name) {
    String text = String.valueOf(name);
    if (text.endsWith("_file")) {
      return plain(text.substring(0, text.length() - "_file".length())) + "-file";
    }
    return PARTS.getOrDefault(underscored(text), text);
  }

  private static String underscored(String text) {
    return text.replace('-', '_');
  }

  private void add(String name, @Nullable Object value) {
    Optional<Key<?>> key = Keys.find(name);
    if (key.isPresent()) {
      addValue(key.get().name(), value);
    } else if (!Keys.isSection(name)) {
      throw unknown(name, value);
    } else if (value instanceof Map<?, ?> section) {
      flatten(name + ".", section);
    } else if (value != null) {
      throw new ConfigException(
          "%s in %s: is %s; expected keys below it, as %s"
              .formatted(
                  name, file, value instanceof List ? "a list" : "one value", example(name)));
    }
  }

  /**
   * Makes the error for an unknown key. For an unknown section it names the first key in it, which
   * is nearer to what was meant.
   */
  private ConfigException unknown(String name, @Nullable Object value) {
    if (value instanceof Map<?, ?> section && !section.isEmpty()) {
      var first = section.entrySet().iterator().next();
      return unknown(name + "." + plain(first.getKey()), first.getValue());
    }
    return new ConfigException(
        "unknown key %s in %s; %s; all: holdfast help config"
            .formatted(Key.shortened(name), file, meant(name)));
  }

  private static String meant(String name) {
    return ProviderKeys.hasBadName(name)
        ? "a provider's name is of lower-case letters, digits and hyphens"
        : "the nearest known one is "
            + NearestName.of(
                Key.shortened(ProviderKeys.general(name)),
                Keys.ALL.stream().map(Key::name).toList());
  }

  private void addValue(String name, @Nullable Object value) {
    if (value == null || value.equals(NOTHING)) {
      throw new ConfigException(
          name + " in " + file + ": has no value; write one or remove the line");
    }
    if (given.put(name, new Given(value, file)) != null) {
      throw new ConfigException(name + " in " + file + ": is given twice; keep one");
    }
  }

  private static String example(String section) {
    return Keys.ALL.stream()
        .map(Key::name)
        .filter(key -> key.startsWith(section + "."))
        .findFirst()
        .orElseGet(() -> ProviderKeys.ANY.type().name());
  }
}
