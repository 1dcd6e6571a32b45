package dev.holdfast.failure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a program said outright of its failure: the words before the line {@code (exit code 1 from
 * sh)}. What stands after that line is what else it printed.
 */
final class OutrightError {
  private static final Pattern END =
      Pattern.compile("(?m)^\\((?:exit code \\d{1,3} from |[^\\n]{1,80} timed out after )[^\\n]*");

  private OutrightError() {}

  /** The words alone; the whole text where it says nothing outright. */
  static String words(String text) {
    Matcher end = END.matcher(text);
    return end.find() && end.start() > 0 ? text.substring(0, end.start()) : text;
  }

  /** The words, where nothing stands after that line; else the whole text. */
  static String wordsAlone(String text) {
    return withEnd(text).length() == text.length() ? words(text) : text;
  }

  /** The words and the line after them; the whole text where it says nothing outright. */
  static String withEnd(String text) {
    Matcher end = END.matcher(text);
    return end.find() && end.start() > 0 ? text.substring(0, end.end()) : text;
  }
}
