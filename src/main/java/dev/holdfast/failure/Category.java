package dev.holdfast.failure;

import java.util.Locale;
import java.util.Optional;

/** The five categories a failure can have (A5). */
public enum Category {
  /** Waiting helps: rate limits, overload, timeouts, resets. */
  TRANSIENT,
  /** The remote API refused the request: credentials, money, invalid input. */
  API_ERROR,
  /** The code is wrong: failing tests, compile errors, type and logic errors. */
  CODE_ERROR,
  /** The machine or a local tool failed: files, permissions, disks, git, killed processes. */
  SYSTEM_ERROR,
  /** Nothing in the evidence says what went wrong. */
  UNKNOWN;

  /**
   * Returns the name used in rows, JSON, configuration and on the command line, such as api_error.
   */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the category with a wire name, in any letter case; empty if no category has it. */
  public static Optional<Category> ofWireName(String name) {
    for (Category category : values()) {
      if (category.wireName().equals(name.strip().toLowerCase(Locale.ROOT))) {
        return Optional.of(category);
      }
    }
    return Optional.empty();
  }

  /** Precedence among text rules of equal standing (A12); the lowest number wins. */
  int precedence() {
    return switch (this) {
      case TRANSIENT -> 0;
      case SYSTEM_ERROR -> 1;
      case CODE_ERROR -> 2;
      case API_ERROR -> 3;
      case UNKNOWN -> 4;
    };
  }
}
