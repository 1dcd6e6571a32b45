package dev.holdfast.config;

import java.util.LinkedHashMap;
import java.util.Map;

/** The value of every key, read and checked. Immutable. */
final class Values {
  private final Map<Key<?>, Object> byKey;

  private Values(Map<Key<?>, Object> byKey) {
    this.byKey = byKey;
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
    Map<Key<?>, Object> values = new LinkedHashMap<>();
    for (Key<?> key : Keys.ALL) {
      Given each = given.get(key.name());
      values.put(key, each == null ? key.defaultValue() : read(key, each));
    }
    return new Values(values);
  }

  private static Object read(Key<?> key, Given given) {
    try {
      return key.type().parse(given.value());
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          key.name()
              + ": "
              + key.shown(given.value())
              + " (from "
              + given.where()
              + ") "
              + e.getMessage()
              + "; allowed: "
              + key.type().allowed(),
          key.secret() ? null : e);
    }
  }

  @SuppressWarnings("unchecked") // put there by the key's own type
  <T> T get(Key<T> key) {
    Object value = byKey.get(key);
    if (value == null) {
      throw new IllegalStateException(key.name() + " is missing in Keys.ALL");
    }
    return (T) value;
  }
}
