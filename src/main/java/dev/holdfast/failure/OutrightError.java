package dev.holdfast.failure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds what a program said outright about its failure: the words before the line {@code (exit code
 * 1 from sh)}. What follows that line is other output of the program.
 */
final class OutrightError {
  private static final Pattern END =
      Pattern.compile("(?m)^\\((?:exit code \\d{1,3} from |[^\\n]{1,80} timed out after )[^\\n]*");

  private OutrightError() {}

  /** Returns the words alone; the whole text if the program said nothing outright. */
  static String words(String text) {
    Matcher end = END.matcher(text);
    return end.find() && end.start() > 0 ? text.substring(0, end.start()) : text;
  }

  /** Returns the words, if nothing follows that line; otherwise the whole text. */
  static String wordsAlone(String text) {
    return withEnd(text).length() == text.length() ? words(text) : text;
  }

  /**
   * Returns the words and the line after them; the whole text if the program said nothing outright.
   */
  static String withEnd(String text) {
    Matcher end = END.matcher(text);
    return end.find() && end.start() > 0 ? text.substring(0, end.end()) : text;
  }
}
