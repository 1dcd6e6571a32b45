package dev.holdfast.retry;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Durations as people read them, and write them in configuration and on the command line: {@code
 * 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 7d}.
 */
public final class DurationText {
  private static final Pattern SHAPE = Pattern.compile("(\\d{1,15})\\s*(ms|s|m|h|d)");

  private DurationText() {}

  /**
   * @throws IllegalArgumentException if the text is no whole number with a unit, or is negative
   */
  public static Duration parse(String text) {
    Matcher matcher = SHAPE.matcher(text.strip());
    if (!matcher.matches()) {
      if (text.strip().equals("0")) {
        return Duration.ZERO;
      }
      throw new IllegalArgumentException(
          "\""
              + text.substring(0, Math.min(100, text.length()))
              + "\" is not a duration: write a whole number and a unit, as in 500ms, 30s, 5m, 2h,"
              + " 7d");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(Math.min(amount, Integer.MAX_VALUE));
      case "h" -> Duration.ofHours(Math.min(amount, Integer.MAX_VALUE));
      default -> Duration.ofDays(Math.min(amount, Integer.MAX_VALUE));
    };
  }

  /**
   * Writes the shortest such text for a duration of whole milliseconds: {@code 90s}, {@code 15m},
   * {@code 250ms}.
   */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3600 == 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** Writes a duration in its largest unit: {@code 45s}, {@code 3m}, {@code 2h}, {@code 9d}. */
  public static String rough(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 90) {
      return seconds + "s";
    }
    if (seconds < 90 * 60) {
      return duration.toMinutes() + "m";
    }
    return duration.toHours() < 36 ? duration.toHours() + "h" : duration.toDays() + "d";
  }

  /** Writes a time as {@code 3m ago} or {@code in 8s}; empty for null. */
  public static String ago(@Nullable Instant time, Instant now) {
    if (time == null) {
      return "";
    }
    Duration ago = Duration.between(time, now);
    return ago.isNegative() ? "in " + rough(ago.negated()) : rough(ago) + " ago";
  }
}
