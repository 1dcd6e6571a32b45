package dev.holdfast.limit;

import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * So many starts in a time, written {@code 100/1m}.
 *
 * @param count at least one
 * @param per at least a millisecond
 */
public record Rate(int count, Duration per) {
  private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,7})\\s*/\\s*(.+?)\\s*");

  /**
   * @throws IllegalArgumentException naming what is allowed
   */
  public static Rate parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\""
              + (text.length() > 60 ? text.substring(0, 60) : text)
              + "\" is not a rate; write a number and a time, as in 100/1m");
    }
    return new Rate(Integer.parseInt(matcher.group(1)), DurationText.parse(matcher.group(2)));
  }
}
