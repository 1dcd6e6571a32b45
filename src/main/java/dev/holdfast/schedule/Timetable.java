package dev.holdfast.schedule;

import dev.holdfast.ticket.InvalidInputException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The times at which tickets are due. Immutable. */
public sealed interface Timetable permits CronTimetable, IntervalTimetable {
  /** Returns the first time after this one; empty if no more come. */
  Optional<Instant> next(Instant after);

  /** Returns the last time up to this one, or this one itself; empty if there was none. */
  Optional<Instant> last(Instant upTo);

  /** Returns the next times, in their order. */
  default List<Instant> upcoming(Instant after, int count) {
    List<Instant> times = new ArrayList<>();
    Optional<Instant> next = next(after);
    while (next.isPresent() && times.size() < count) {
      times.add(next.get());
      next = next(next.get());
    }
    return times;
  }

  /**
   * Makes a timetable of one of the two rhythms.
   *
   * @param cron five fields or a nickname as {@code @daily}; null if it is an interval
   * @param every null if it is a cron expression
   * @param zone the zone of the cron expression, as {@code Europe/Berlin}
   * @param anchor the time from which the intervals are counted
   * @throws InvalidInputException if it cannot be read or never comes; the message says why
   */
  static Timetable of(
      @Nullable String cron, @Nullable Duration every, String zone, Instant anchor) {
    ZoneId known = zone(zone);
    if (cron != null && every == null) {
      return CronTimetable.parse(cron, known);
    }
    if (every != null && cron == null) {
      return new IntervalTimetable(every, anchor);
    }
    throw new InvalidInputException("a schedule needs either cron or every");
  }

  private static ZoneId zone(String zone) {
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      String shown = zone.length() <= 60 ? zone : zone.substring(0, 60) + "…";
      throw new InvalidInputException(
          "there is no time zone \"" + shown + "\"; write it as Europe/Berlin, UTC or +02:00");
    }
  }
}
