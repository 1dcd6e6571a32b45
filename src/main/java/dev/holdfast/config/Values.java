package dev.holdfast.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The value of every key, read and checked. Immutable. */
final class Values {
  private final Map<String, Object> byName;

  private final List<String> providers;
  private final Map<String, Given> given;

  private Values(Map<String, Object> byName, List<String> providers, Map<String, Given> given) {
    this.byName = byName;
    this.providers = providers;
    this.given = Map.copyOf(given);
  }

  /**
   * A value as it was given.
   *
   * @param where where it was given, for messages: {@code holdfast.yaml}, {@code
   *     HOLDFAST_WORKER_LEASE}, {@code --port}
   * @param file the file of the value alone; null where it has none
   */
  record Given(Object value, String where, @Nullable Path file) {
    Given(Object value, String where) {
      this(value, where, null);
    }
  }

  /**
   * @param given the values by key name; keys that are missing take their default
   * @throws ConfigException for the first bad value
   */
  static Values read(Map<String, Given> given) {
    Map<String, Object> values = new LinkedHashMap<>();
    List<String> providers = ProviderKeys.names(given.keySet().stream());
    for (Key<?> key : keys(providers)) {
      Given each = given.get(key.name());
      values.put(key.name(), each == null ? key.defaultValue() : read(key, each));
    }
    return new Values(values, providers, given);
  }

  private static List<Key<?>> keys(List<String> providers) {
    List<Key<?>> keys = new ArrayList<>(Keys.ALL);
    keys.removeIf(ProviderKeys::isAny);
    providers.forEach(name -> keys.addAll(ProviderKeys.of(name).all()));
    return keys;
  }

  /** Returns all keys that have a value here. */
  List<Key<?>> keys() {
    return keys(providers);
  }

  /** Returns the names of the providers that are configured. */
  List<String> providers() {
    return providers;
  }

  /**
   * Reads one value.
   *
   * @throws ConfigException if the key cannot have the value
   */
  static <T> T read(Key<T> key, Given given) {
    try {
      return key.type().parse(given.value());
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          "%s: %s (from %s) %s; allowed: %s"
              .formatted(
                  key.name(),
                  key.shown(given.value()),
                  given.where(),
                  e.getMessage(),
                  key.type().allowed()),
          key.secret() ? null : e);
    }
  }

  /** Returns false where the value is the default. */
  boolean isGiven(Key<?> key) {
    return given.containsKey(key.name());
  }

  /** Returns the file that holds only the value; null where there is none. */
  @Nullable Path file(Key<?> key) {
    Given each = given.get(key.name());
    return each == null ? null : each.file();
  }

  @SuppressWarnings("unchecked") // put there by the key's own type
  <T> T get(Key<T> key) {
    Object value = byName.get(key.name());
    if (value == null) {
      throw new IllegalStateException(key.name() + " is missing in Keys.ALL");
    }
    return (T) value;
  }
}
