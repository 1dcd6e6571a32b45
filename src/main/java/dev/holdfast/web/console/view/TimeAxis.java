package dev.holdfast.web.console.view;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The time that a chart shows, cut into spans of one length. Labels are in UTC.
 *
 * @param from when the first span begins
 * @param spans how many there are
 */
public record TimeAxis(Instant from, Duration span, int spans) {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter BOTH =
      DateTimeFormatter.ofPattern("MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** A point of the axis, in spans from its beginning, with its label. */
  public record Mark(double at, String label) {}

  /** Returns the span that a time is in; it may be outside the axis. */
  public int spanOf(Instant time) {
    return Math.toIntExact(Math.floorDiv(Duration.between(from, time).toMillis(), span.toMillis()));
  }

  /** Adds a number to the span of its time; a time outside the axis is left out. */
  public void add(double[] numbers, Instant time, double number) {
    int at = spanOf(time);
    if (at >= 0 && at < spans) {
      numbers[at] += number;
    }
  }

  /** Returns the name of a span. */
  public String label(int at) {
    Instant time = from.plus(span.multipliedBy(at));
    return length().compareTo(Duration.ofHours(2)) > 0 ? BOTH.format(time) : CLOCK.format(time);
  }

  /**
   * Returns round times: quarters of hours, every fourth hour or days, depending on the length of
   * the axis.
   */
  public List<Mark> marks() {
    boolean days = length().compareTo(Duration.ofDays(2)) > 0;
    Duration step =
        days
            ? Duration.ofDays(1)
            : length().compareTo(Duration.ofHours(2)) > 0
                ? Duration.ofHours(4)
                : Duration.ofMinutes(15);
    ZonedDateTime time = from.atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS);
    List<Mark> marks = new ArrayList<>();
    for (; time.toInstant().isBefore(from.plus(length())); time = time.plus(step)) {
      Instant at = time.toInstant();
      if (!at.isBefore(from)) {
        double where = (double) Duration.between(from, at).toMillis() / span.toMillis();
        marks.add(new Mark(where, (days ? DAY : CLOCK).format(at)));
      }
    }
    return marks;
  }

  private Duration length() {
    return span.multipliedBy(spans);
  }
}
