package dev.holdfast.config;

import java.util.Locale;

/**
 * One configuration key, as data. Loading, validation and documentation all come from it.
 *
 * @param <T> what its value is once read
 * @param name its name as in the file: {@code worker.poll-interval}
 * @param defaultText the default as one would write it; empty for none
 * @param secret whether its value must never be shown
 * @param description what it controls, and what its special values mean
 */
public record Key<T>(
    String name, KeyType<T> type, String defaultText, boolean secret, String description) {
  /** The largest number of characters of a value in a message. */
  private static final int LONGEST = 200;

  /** Returns {@code HOLDFAST_WORKER_POLL_INTERVAL} for {@code worker.poll-interval}. */
  public String environmentName() {
    return "HOLDFAST_" + name.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /** Returns true if it is a secret or an address, which may hold a password. */
  boolean mayHoldSecret() {
    return secret || DatabaseKeys.ADDRESS.equals(type);
  }

  T defaultValue() {
    return type.parse(defaultText);
  }

  /** Returns the value as an error message may show it: not too long, without a secret. */
  String shown(Object value) {
    boolean address = String.valueOf(value).contains("://");
    // A value that is no address may be the password itself, as in the file of another key.
    if (secret || (mayHoldSecret() && !address)) {
      return "***";
    }
    String text = Redaction.withoutPassword(String.valueOf(value));
    return "\"" + shortened(text) + "\"";
  }

  /** Shortens a text so that it fits into a message. */
  static String shortened(String text) {
    return text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text;
  }
}
