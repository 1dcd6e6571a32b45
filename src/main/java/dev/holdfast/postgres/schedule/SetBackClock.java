package dev.holdfast.postgres.schedule;

import dev.holdfast.postgres.Transactions;
import dev.holdfast.postgres.schedule.DueSchedules.Locked;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.Timetable;
import dev.holdfast.ticket.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Corrects schedules after the database's clock was ahead and has been set back: with times that
 * were computed by the wrong clock they would stand still until those times come. Thread-safe.
 */
final class SetBackClock {
  private static final Logger log = LoggerFactory.getLogger(SetBackClock.class);

  /**
   * The tolerance: if a past time is later than now by more than this, the clock was ahead and has
   * been set back.
   */
  private static final Duration AHEAD = Duration.ofMinutes(1);

  private final Transactions transactions;
  private final DueSchedules schedules;

  /** The latest time that the database has given. */
  private final AtomicReference<Instant> latest = new AtomicReference<>(Instant.EPOCH);

  SetBackClock(Transactions transactions, DueSchedules schedules) {
    this.transactions = transactions;
    this.schedules = schedules;
  }

  /**
   * @return whether it ran or was put while the clock was ahead; then it goes on by the right time
   *     now
   */
  boolean mends(Handle handle, Locked locked) {
    Schedule schedule = locked.schedule();
    if (wasAhead(schedule.lastAt(), locked.now())) {
      goOn(handle, locked, null);
      return true;
    }
    if (wasAhead(schedule.updatedAt(), locked.now())) {
      boolean workedOut = isOfTimetable(schedule, later(schedule.updatedAt(), latest.get()));
      goOn(handle, locked, workedOut ? null : schedule.nextAt());
      return true;
    }
    return false;
  }

  /**
   * Looks at all of them when the clock has been set back since the last round.
   *
   * @param now the database's time
   * @return whether their next times have changed
   */
  boolean mendsAll(Instant now) {
    Instant before = latest.get();
    boolean setBack = wasAhead(before, now);
    if (setBack && !goOnWithAll(before)) {
      // A schedule that failed or was locked is tried again in the next round.
      return false;
    }
    latest.set(now);
    return setBack;
  }

  private static boolean wasAhead(@Nullable Instant time, Instant now) {
    return time != null && time.isAfter(now.plus(AHEAD));
  }

  /**
   * Moves a schedule to its next time by the right clock.
   *
   * @param given the next time that somebody has given, which stays; otherwise null
   */
  private void goOn(Handle handle, Locked locked, @Nullable Instant given) {
    String name = locked.schedule().name();
    schedules.countFrom(handle, name, locked.now());
    Timetable timetable =
        schedules.locked(handle, name, "true").orElse(locked).schedule().timetable();
    @Nullable Instant next = given == null ? timetable.next(locked.now()).orElse(null) : given;
    schedules.moveOn(handle, name, timetable, next, 0);
  }

  /**
   * Corrects times that were computed while the clock was ahead, but not those that somebody gave.
   *
   * @param before the time that the clock showed when it was ahead
   * @return false if one is locked and is to be looked at again
   */
  private boolean goOnWithAll(Instant before) {
    boolean all = true;
    for (String name :
        transactions.runStatement(handle -> schedules.names(handle, DueSchedules.LATER))) {
      try {
        all &=
            transactions.run(
                handle ->
                    goOnIfWorkedOut(
                        handle, schedules.locked(handle, name, DueSchedules.LATER), before));
      } catch (InvalidInputException e) {
        log.debug("schedule {} cannot be read, and stays as it is: {}", name, e.getMessage());
      } catch (StatementRefusedException e) {
        log.debug("schedule {} is looked at again: {}", name, e.getMessage());
        all = false;
      }
    }
    return all;
  }

  /**
   * Corrects a schedule if its time was computed; returns false if somebody else has locked its
   * row.
   */
  private boolean goOnIfWorkedOut(Handle handle, Optional<Locked> locked, Instant before) {
    locked
        .filter(it -> isOfTimetable(it.schedule(), before))
        .ifPresent(it -> goOn(handle, it, null));
    return locked.isPresent();
  }

  /** Returns whether its next time was computed, by a clock that showed this time at most. */
  private static boolean isOfTimetable(Schedule schedule, Instant before) {
    Instant next = schedule.nextAt();
    Timetable timetable = schedule.timetable();
    return next != null
        && timetable.next(next.minusNanos(1)).equals(Optional.of(next))
        && timetable.next(before.plus(AHEAD)).filter(next::isAfter).isEmpty();
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
