package dev.holdfast.postgres;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds numbers that {@code jsonb} would write out with hundreds of digits, as 1e131071, and makes
 * strings of them: ten thousand of them are 90 KB as they come and more than 1 GB as they are read.
 */
public final class LongNumbers {
  /** The largest exponent that stays a number; a double has exponents up to 308. */
  private static final int LARGEST_EXPONENT = 400;

  private static final Pattern EXPONENT = Pattern.compile("[eE][+-]?[0-9]{3}");

  /** A string, or a number with an exponent of three digits or more. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|-?[0-9]++(?:\\.[0-9]++)?[eE][+-]?0*+([0-9]{3,})",
          Pattern.DOTALL);

  private LongNumbers() {}

  /**
   * @param json the JSON; a text that is no JSON is left to the database, which refuses it
   */
  public static String asStrings(String json) {
    if (!EXPONENT.matcher(json).find()) {
      return json;
    }
    Matcher token = TOKEN.matcher(json);
    StringBuilder out = new StringBuilder(json.length());
    while (token.find()) {
      String number = token.group();
      boolean isLong = token.group(1) != null && isLong(token.group(1));
      token.appendReplacement(out, Matcher.quoteReplacement(isLong ? '"' + number + '"' : number));
    }
    return token.appendTail(out).toString();
  }

  private static boolean isLong(String exponent) {
    return exponent.length() > 3 || Integer.parseInt(exponent) > LARGEST_EXPONENT;
  }
}
