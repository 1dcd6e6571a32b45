package dev.holdfast.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Chooses which of the times that have come makes the next ticket: a pure function. */
public final class DueTimes {
  /** The longest delay with which a time was not missed. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  private DueTimes() {}

  /**
   * @param due the oldest time that has come and made no ticket yet
   * @param waitedUntil the time since which there is nothing to wait for; a time that waited until
   *     then was not missed
   * @return the time whose ticket comes now; empty if all times that have come are dropped
   */
  public static Optional<Instant> pick(
      Timetable timetable, CatchUp catchUp, Instant due, Instant waitedUntil, Instant now) {
    if (catchUp == CatchUp.ALL) {
      return Optional.of(due);
    }
    Instant last = timetable.last(now).filter(each -> each.isAfter(due)).orElse(due);
    Instant ready = last.isAfter(waitedUntil) ? last : waitedUntil;
    boolean kept = catchUp == CatchUp.LAST || !ready.isBefore(now.minus(KEPT));
    return kept ? Optional.of(last) : Optional.empty();
  }
}
