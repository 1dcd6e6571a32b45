package dev.holdfast.ticket;

import org.jspecify.annotations.Nullable;

/** Makes text fit for PostgreSQL, which takes neither NUL nor half a surrogate pair (A54). */
public final class StorableText {
  private static final char REPLACEMENT = '\uFFFD';

  private StorableText() {}

  /** Returns the same as {@link #of}; "" for null. */
  public static String orEmpty(@Nullable String text) {
    return text == null ? "" : of(text);
  }

  /** Returns the text without NUL, and with U+FFFD for each lone surrogate. */
  public static String of(String text) {
    int i = 0;
    while (i < text.length() && isFine(text, i)) {
      i++;
    }
    if (i == text.length()) {
      return text;
    }
    StringBuilder storable = new StringBuilder(text.length()).append(text, 0, i);
    for (; i < text.length(); i++) {
      if (isFine(text, i)) {
        storable.append(text.charAt(i));
      } else if (text.charAt(i) != '\0') {
        storable.append(REPLACEMENT);
      }
    }
    return storable.toString();
  }

  /** Returns true if the character at {@code i} can be stored. */
  public static boolean isFine(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
    return c != '\0';
  }
}
