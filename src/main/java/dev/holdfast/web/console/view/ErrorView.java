package dev.holdfast.web.console.view;

import dev.holdfast.failure.RootCause;
import org.jspecify.annotations.Nullable;

/**
 * An error, its root cause first.
 *
 * @param cause the part that says why
 * @param whole all of the text; null where that is the cause
 */
public record ErrorView(String cause, @Nullable String whole) {
  public static ErrorView of(String error) {
    String text = error.strip();
    String cause = RootCause.of(text).strip();
    return cause.isEmpty() || cause.equals(text)
        ? new ErrorView(text, null)
        : new ErrorView(cause, text);
  }
}
