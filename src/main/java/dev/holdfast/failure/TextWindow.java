package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The bounded, tidied part of an error text that the rules scan: its head, its tail and, of what
 * lies between, the surroundings of root-cause markers. So a text of 10 MB costs about as much as
 * one of 60 kB. Terminal colours are removed, typographic quotes made plain, and JSON that was
 * embedded in a JSON string is unescaped.
 */
final class TextWindow {
  private static final int HEAD = 5_000;
  private static final int TAIL = 8_000;
  private static final int AROUND = 1_000;
  private static final int NEAR = 100_000;
  private static final List<String> MARKERS =
      List.of("Caused by: ", "Traceback (most recent call last)", "panic: ", "FATAL", "Error: ");

  private static final Pattern ANSI = Pattern.compile("\u001b\\[[0-9;?]{0,20}[A-Za-z]");
  private static final Pattern ESCAPED_QUOTE = Pattern.compile("\\\\{1,7}\"");
  private static final Pattern ESCAPED_NEWLINE = Pattern.compile("\\\\{1,7}r?\\\\{0,7}n");

  private TextWindow() {}

  static String of(String text) {
    return tidy(text.length() <= HEAD + TAIL ? text : cut(text));
  }

  private static String cut(String text) {
    int tailStart = text.length() - TAIL;
    List<String> parts = new ArrayList<>();
    parts.add(text.substring(0, HEAD));
    for (String marker : MARKERS) {
      int at = between(text, marker, tailStart);
      if (at >= 0) {
        parts.add(text.substring(at, Math.min(at + AROUND, tailStart)));
      }
    }
    parts.add(text.substring(tailStart));
    return String.join("\n", parts);
  }

  /**
   * Returns the last place of the marker near the tail, otherwise its first place after the head,
   * or -1.
   */
  private static int between(String text, String marker, int tailStart) {
    int near = Math.max(HEAD, tailStart - NEAR);
    int last = text.substring(near, tailStart).lastIndexOf(marker);
    return last >= 0 ? near + last : text.indexOf(marker, HEAD, tailStart);
  }

  private static String tidy(String text) {
    String tidy = text.indexOf('\u001b') < 0 ? text : ANSI.matcher(text).replaceAll("");
    if (tidy.contains("\\\"")) {
      tidy = ESCAPED_QUOTE.matcher(tidy).replaceAll("\"");
      tidy = ESCAPED_NEWLINE.matcher(tidy).replaceAll("\n");
    }
    return plain(tidy);
  }

  /** Replaces characters one to one, so that rules need to know only one form of each. */
  private static String plain(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      out.append(plain(text.charAt(i)));
    }
    return out.toString();
  }

  private static char plain(char c) {
    return switch (c) {
      case '\u2018', '\u2019', '\u201b' -> '\'';
      case '\u201c', '\u201d' -> '"';
      case '\u00a0', '\u202f', '\u2007', '\u2502', '\u2503', '\r' -> ' ';
      case '\u2010', '\u2011', '\u2013' -> '-';
      default -> c;
    };
  }
}
