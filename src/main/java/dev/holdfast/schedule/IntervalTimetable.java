package dev.holdfast.schedule;

import dev.holdfast.ticket.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One time per interval; the first one is an interval after the anchor.
 *
 * @param every one second to ten years; a day is 24 hours
 */
public record IntervalTimetable(Duration every, Instant anchor) implements Timetable {
  /** The longest interval: ten years of the database, whose months have 30 days. */
  private static final Duration LONGEST = Duration.ofDays(3_600);

  public IntervalTimetable {
    if (every.compareTo(Duration.ofSeconds(1)) < 0 || every.compareTo(LONGEST) > 0) {
      throw new InvalidInputException(
          "every must be from 1 second to 10 years, not "
              + (every.toSeconds() == 0 ? every.toMillis() + "ms" : every.toSeconds() + "s"));
    }
  }

  @Override
  public Optional<Instant> next(Instant after) {
    long passed = after.isBefore(anchor) ? 0 : Duration.between(anchor, after).dividedBy(every);
    return Optional.of(anchor.plus(every.multipliedBy(passed + 1)));
  }

  @Override
  public Optional<Instant> last(Instant upTo) {
    long passed = upTo.isBefore(anchor) ? 0 : Duration.between(anchor, upTo).dividedBy(every);
    return passed == 0 ? Optional.empty() : Optional.of(anchor.plus(every.multipliedBy(passed)));
  }
}
