package dev.holdfast.failure;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads spans of time as servers write them: {@code 4.77s}, {@code 6m0s}, {@code 120ms}, {@code 2
 * days 17 hours 14 minutes}, {@code 1 hour and 5 minutes}, {@code 30秒}. Fractions of a millisecond
 * are cut off.
 */
final class SpokenDuration {
  private static final String UNIT =
      "(?:milliseconds?|millisekunden|millis|msecs?|ms|毫秒|ミリ秒|seconds?|sekunden?|secondes?|segundos?|secs?|秒钟?|秒|секунд\\w?|s"
          + "|minutes?|minuten?|minutos?|mins?|分钟|分鐘|分|минут\\w?|m"
          + "|hours?|stunden?|heures?|horas?|hrs?|小时|小時|時間|час\\w{0,2}|h"
          + "|days?|tagen?|tage|jours?|días?|天|日|дн\\w{1,2}|d|weeks?)(?![A-Za-z])";
  private static final String NUMBER = "\\d{1,12}(?:\\.\\d{1,12})?";

  /** One span, for use inside other patterns. It has no groups. */
  static final String SPAN =
      "(?:(?:an?|one) (?:second|minute|hour|day)\\b|(?:"
          + NUMBER
          + "\\s?"
          + UNIT
          + "(?:,? and |,?\\s)?){1,6})";

  private static final Pattern PART = Pattern.compile("(?i)(" + NUMBER + ")\\s?(" + UNIT + ")");
  private static final Duration LONGEST = Duration.ofDays(3650);
  private static final BigDecimal MAX_MILLIS = BigDecimal.valueOf(LONGEST.toMillis());

  private SpokenDuration() {}

  /** Returns the sum of the parts; empty if there is none or it is longer than ten years. */
  static Optional<Duration> parse(String text) {
    Matcher matcher = PART.matcher(text.replaceAll("^(?i)(?:an?|one) ", "1 "));
    BigDecimal millis = BigDecimal.ZERO;
    boolean found = false;
    while (matcher.find()) {
      millis = millis.add(new BigDecimal(matcher.group(1)).multiply(unit(matcher.group(2))));
      found = true;
    }
    return found ? ofMillis(millis) : Optional.empty();
  }

  /** Reads a plain number of the given unit, such as the seconds of Retry-After. */
  static Optional<Duration> ofNumber(String number, long unitMillis) {
    return ofMillis(new BigDecimal(number).multiply(BigDecimal.valueOf(unitMillis)));
  }

  /** Returns true if a wait is no longer than ten years: beyond that it is a server's mistake. */
  static boolean isBounded(Duration wait) {
    return wait.compareTo(LONGEST) <= 0;
  }

  private static Optional<Duration> ofMillis(BigDecimal millis) {
    if (millis.signum() < 0 || millis.compareTo(MAX_MILLIS) > 0) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofMillis(millis.setScale(0, RoundingMode.DOWN).longValueExact()));
  }

  private static BigDecimal unit(String name) {
    String unit = name.toLowerCase(Locale.ROOT);
    if (unit.startsWith("ms")
        || unit.startsWith("milli")
        || unit.equals("毫秒")
        || unit.equals("ミリ秒")) {
      return BigDecimal.ONE;
    }
    if (unit.startsWith("stund")) {
      return BigDecimal.valueOf(3_600_000L);
    }
    return BigDecimal.valueOf(
        switch (unit.charAt(0)) {
          case 's', '秒', 'с' -> 1_000L;
          case 'm', '分', 'м' -> 60_000L;
          case 'h', '小', '時', 'ч' -> 3_600_000L;
          case 'w' -> 604_800_000L;
          default -> 86_400_000L;
        });
  }
}
