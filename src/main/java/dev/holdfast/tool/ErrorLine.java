package dev.holdfast.tool;

import dev.holdfast.failure.ShortText;
import java.util.Objects;

/** Puts an exception into one bounded line: its type and its message. */
final class ErrorLine {
  private static final int MAX = 500;

  private ErrorLine() {}

  static String of(Throwable error) {
    String message = error.getMessage();
    String type = typeName(error);
    String line = message == null || message.isBlank() ? type : type + ": " + message.strip();
    return ShortText.of(line.replaceAll("\\s*\\R\\s*", " "), MAX);
  }

  /** Returns the whole message; the type where there is none. */
  static String message(Throwable error) {
    return Objects.requireNonNullElse(error.getMessage(), typeName(error));
  }

  /** Returns the name of the type; that of the superclass for an anonymous class. */
  private static String typeName(Throwable error) {
    Class<?> type = error.getClass();
    return type.isAnonymousClass() ? type.getSuperclass().getSimpleName() : type.getSimpleName();
  }
}
