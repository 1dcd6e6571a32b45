package dev.holdfast.postgres;

import dev.holdfast.ticket.StorableText;

/**
 * Makes JSON fit for {@code jsonb}, which takes neither NUL nor half a surrogate pair. {@link
 * #escape} loses nothing: such a character becomes U+FDD0, which means no character anywhere, and
 * its four hexadecimal digits. Numbers such as 1e131071 become strings ({@link LongNumbers}).
 */
public final class EscapedJson {
  private static final char MARK = '\uFDD0';
  private static final int DIGITS = 4;
  private static final String NUL = "\\u0000";

  private EscapedJson() {}

  /** Returns JSON that can be stored. */
  public static String escape(String sent) {
    String json = LongNumbers.asStrings(sent);
    StringBuilder out = new StringBuilder(json.length() + 16);
    int i = 0;
    while (i < json.length()) {
      char c = json.charAt(i);
      if (json.startsWith(NUL, i)) {
        mark(out, '\0');
        i += NUL.length();
      } else if (c == '\\' && i + 1 < json.length()) {
        out.append(c);
        append(out, json, i + 1);
        i += 2;
      } else {
        append(out, json, i);
        i++;
      }
    }
    return out.toString();
  }

  private static void append(StringBuilder out, String json, int i) {
    char c = json.charAt(i);
    if (c == MARK || !StorableText.isFine(json, i)) {
      mark(out, c);
    } else {
      out.append(c);
    }
  }

  private static void mark(StringBuilder out, char c) {
    String digits = Integer.toHexString(c);
    out.append(MARK).append("0".repeat(DIGITS - digits.length())).append(digits);
  }

  /** Returns the JSON that was escaped. */
  public static String unescape(String stored) {
    int mark = stored.indexOf(MARK);
    if (mark < 0) {
      return stored;
    }
    StringBuilder out = new StringBuilder(stored.length());
    int from = 0;
    for (; mark >= 0; mark = stored.indexOf(MARK, from)) {
      out.append(stored, from, mark);
      from = mark + 1 + restore(out, stored, mark + 1);
    }
    return out.append(stored, from, stored.length()).toString();
  }

  /** Returns how many digits were read; 0 if somebody else has written the mark. */
  private static int restore(StringBuilder out, String stored, int at) {
    String digits = stored.substring(at, Math.min(at + DIGITS, stored.length()));
    if (!digits.matches("[0-9a-f]{4}")) {
      out.append(MARK);
      return 0;
    }
    char c = (char) Integer.parseInt(digits, 16);
    out.append(c == '\0' ? NUL : String.valueOf(c));
    return DIGITS;
  }

  /**
   * Returns JSON that can be stored, with U+FFFD for what cannot: for texts that people only look
   * at.
   */
  public static String replace(String json) {
    return escape(json).replaceAll(MARK + "[0-9a-f]{4}", "\uFFFD");
  }
}
