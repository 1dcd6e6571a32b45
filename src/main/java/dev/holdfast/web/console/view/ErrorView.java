package dev.holdfast.web.console.view;

import org.jspecify.annotations.Nullable;

/**
 * An error, the line that says why first.
 *
 * @param cause the line that says why
 * @param whole all of the text; null where that is the line
 */
public record ErrorView(String cause, @Nullable String whole) {
  /** Null where there is no error. */
  public static @Nullable ErrorView of(@Nullable String title, @Nullable String error) {
    if (error == null) {
      return null;
    }
    String text = error.strip();
    return title == null || title.equals(text)
        ? new ErrorView(text, null)
        : new ErrorView(title, text);
  }
}
