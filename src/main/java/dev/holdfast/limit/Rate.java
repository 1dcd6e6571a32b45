package dev.holdfast.limit;

import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of starts in a time, written {@code 100/1m}.
 *
 * @param count at least one
 * @param per a millisecond to 366 days
 */
public record Rate(int count, Duration per) {
  private static final Pattern TEXT = Pattern.compile("\\s*(\\d{1,7})\\s*/\\s*(.+?)\\s*");
  private static final Duration LONGEST = Duration.ofDays(366);

  /**
   * @throws IllegalArgumentException that says what is allowed
   */
  public static Rate parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\""
              + (text.length() > 60 ? text.substring(0, 60) : text)
              + "\" is not a rate; write a number and a time, as in 100/1m");
    }
    Duration per = DurationText.parse(matcher.group(2));
    // The database takes no time of millions of years, and its words would not name the field.
    if (per.isZero() || per.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "its time is from 1ms to 366d, not " + DurationText.format(per));
    }
    return new Rate(Integer.parseInt(matcher.group(1)), per);
  }
}
