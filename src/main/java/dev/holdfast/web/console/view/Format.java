package dev.holdfast.web.console.view;

import dev.holdfast.retry.DurationText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Values as people read them. Nothing here escapes: the templates do. */
public final class Format {
  private static final DateTimeFormatter EXACT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Format() {}

  /** Returns a duration in short: {@code 80ms}, {@code 45s}. */
  public static String took(Instant from, Instant to) {
    Duration duration = Duration.between(from, to);
    return duration.compareTo(Duration.ofSeconds(1)) < 0
        ? Math.max(0, duration.toMillis()) + "ms"
        : DurationText.rough(duration);
  }

  public static String exact(Instant time) {
    return EXACT.format(time);
  }

  /** Writes {@code 100,000}. */
  public static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Writes {@code 900}, {@code 12.3k}, {@code 4M}: at most about four digits. */
  public static String compact(double number) {
    double size = Math.abs(number);
    if (size < 1_000) {
      return plain(number);
    }
    if (size < 1_000_000) {
      return plain(number / 1_000) + "k";
    }
    return size < 1e9 ? plain(number / 1e6) + "M" : plain(number / 1e9) + "G";
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number)
        .setScale(1, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }

  /** Writes {@code 1 ticket}, {@code 3 tickets}. */
  public static String count(long number, String one) {
    return number(number) + " " + one + (number == 1 ? "" : "s");
  }

  /** Writes {@code $0.0123}. */
  public static String money(BigDecimal usd) {
    BigDecimal shown =
        usd.abs().compareTo(BigDecimal.ONE) < 0
            ? usd.setScale(4, RoundingMode.HALF_UP).stripTrailingZeros()
            : usd.setScale(2, RoundingMode.HALF_UP);
    return "$" + shown.toPlainString();
  }

  /** Turns a database's word into one for people: {@code on hold} for {@code on_hold}. */
  public static String words(@Nullable String name) {
    return name == null ? "" : name.replace('_', ' ');
  }

  /** Returns the first line that is not empty, cut. */
  public static String firstLine(@Nullable String text, int length) {
    if (text == null) {
      return "";
    }
    String line = text.lines().map(String::strip).filter(l -> !l.isEmpty()).findFirst().orElse("");
    return cut(line, length);
  }

  /** Returns at most {@code length} characters, with an ellipsis where something was cut off. */
  public static String cut(String text, int length) {
    return text.codePointCount(0, text.length()) <= length
        ? text
        : text.substring(0, text.offsetByCodePoints(0, length - 1)) + "…";
  }
}
