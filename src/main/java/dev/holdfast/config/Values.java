package dev.holdfast.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The value of every key, read and checked. Immutable. */
final class Values {
  private final Map<String, Object> byName;

  private final List<String> providers;
  private final Set<String> given;

  private Values(Map<String, Object> byName, List<String> providers, Set<String> given) {
    this.byName = byName;
    this.providers = providers;
    this.given = Set.copyOf(given);
  }

  /**
   * A value as it was given.
   *
   * @param where for messages: {@code holdfast.yaml}, {@code HOLDFAST_WORKER_LEASE}, {@code --port}
   */
  record Given(Object value, String where) {}

  /**
   * @param given by key name; keys that are missing take their default
   * @throws ConfigException for the first bad value
   */
  static Values read(Map<String, Given> given) {
    Map<String, Object> values = new LinkedHashMap<>();
    List<String> providers = ProviderKeys.names(given.keySet().stream());
    for (Key<?> key : keys(providers)) {
      Given each = given.get(key.name());
      values.put(key.name(), each == null ? key.defaultValue() : read(key, each));
    }
    return new Values(values, providers, given.keySet());
  }

  private static List<Key<?>> keys(List<String> providers) {
    List<Key<?>> keys = new ArrayList<>(Keys.ALL);
    keys.removeIf(ProviderKeys::isAny);
    providers.forEach(name -> keys.addAll(ProviderKeys.of(name).all()));
    return keys;
  }

  /** All that have a value here. */
  List<Key<?>> keys() {
    return keys(providers);
  }

  /** The names of those that are configured. */
  List<String> providers() {
    return providers;
  }

  /**
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

  /** False where the value is the default. */
  boolean isGiven(Key<?> key) {
    return given.contains(key.name());
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
