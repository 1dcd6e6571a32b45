package dev.holdfast.failure;

import org.jspecify.annotations.Nullable;

/** Makes an error text storable: PostgreSQL rejects NUL, and UTF-8 has no lone surrogates (A54). */
final class ErrorText {
  private static final char REPLACEMENT = '\uFFFD';

  private ErrorText() {}

  /** The text without NULs and with each lone surrogate replaced by U+FFFD; null becomes "". */
  static String safe(@Nullable String text) {
    if (text == null) {
      return "";
    }
    int firstBad = firstBad(text);
    if (firstBad < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length()).append(text, 0, firstBad);
    for (int i = firstBad; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\0') {
        continue;
      }
      out.append(isLoneSurrogate(text, i) ? REPLACEMENT : c);
    }
    return out.toString();
  }

  private static int firstBad(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\0' || (Character.isSurrogate(c) && isLoneSurrogate(text, i))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isLoneSurrogate(String text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 >= text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }
}
