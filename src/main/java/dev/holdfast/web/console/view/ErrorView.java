package dev.holdfast.web.console.view;

import org.jspecify.annotations.Nullable;

/**
 * An error that starts with the line that gives the reason.
 *
 * @param cause the line that gives the reason
 * @param whole all of the text; null where that is the line
 */
public record ErrorView(String cause, @Nullable String whole) {
  /** Makes one; null where there is no error. */
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
