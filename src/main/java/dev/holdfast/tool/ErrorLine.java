package dev.holdfast.tool;

import dev.holdfast.failure.ShortText;
import java.util.Objects;

/** An exception in one bounded line: its type and its message. */
final class ErrorLine {
  private static final int MAX = 500;

  private ErrorLine() {}

  static String of(Throwable error) {
    String message = error.getMessage();
    String type = typeName(error);
    String line = message == null || message.isBlank() ? type : type + ": " + message.strip();
    return ShortText.of(line.replaceAll("\\s*\\R\\s*", " "), MAX);
  }

  /** The whole message; its type where it has none. */
  static String message(Throwable error) {
    return Objects.requireNonNullElse(error.getMessage(), typeName(error));
  }

  /** Of an anonymous class, that of what it extends. */
  private static String typeName(Throwable error) {
    Class<?> type = error.getClass();
    return type.isAnonymousClass() ? type.getSuperclass().getSimpleName() : type.getSimpleName();
  }
}
