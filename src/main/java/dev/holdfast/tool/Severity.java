package dev.holdfast.tool;

import java.util.Locale;
import java.util.concurrent.CancellationException;

/** The level at which a failure is shown to a person (C32). */
public enum Severity {
  ERROR,
  WARNING,
  INFO;

  /** Returns the severity by type, subclasses too; an unknown type is an error. */
  public static Severity of(Throwable error) {
    return switch (error) {
      case InterruptedException interrupt -> INFO;
      case CancellationException cancelled -> INFO;
      case ValidationException invalid -> WARNING;
      default -> ERROR;
    };
  }

  /** {@code error}, {@code warning} or {@code info}. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
