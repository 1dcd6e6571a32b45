package dev.holdfast.postgres.schedule;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.schedule.DueTimes;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleTicks;
import dev.holdfast.schedule.Timetable;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.InvalidTicketException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tickets of schedules, by the database's clock. A ticket and the step to the next time
 * are one transaction under the schedule's row lock: so each time makes one ticket however many
 * processes ask, and a process that dies takes its half-made one with it. Thread-safe.
 */
public final class PostgresScheduleTicks implements ScheduleTicks {
  private static final Logger log = LoggerFactory.getLogger(PostgresScheduleTicks.class);

  /** Times of one schedule in one round: others get their turn between. */
  private static final int ROUND = 100;

  /** For a time that waits until the last ticket has ended. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /** Of a last time that is later, the clock was ahead and has been set back. */
  private static final Duration AHEAD = Duration.ofMinutes(1);

  /** Or their next runs are to be worked out: by SQL and by earlier binaries they are not. */
  private static final String DUE =
      """
      s.paused_at IS NULL AND s.problem IS NULL AND (s.next_at IS NULL OR s.next_at <= now() + :ahead * interval '1 microsecond'
        OR s.next_runs[1] IS DISTINCT FROM s.next_at
        OR GREATEST(s.last_at, s.updated_at) > now() + :ahead * interval '1 microsecond' + interval '1 minute')
      """;

  /** One that waits for its last ticket costs no transaction of its own each second. */
  private static final String ALL_DUE =
      """
      SELECT s.name, s.overlap = 'queue' AND s.next_at <= now() + :ahead * interval '1 microsecond'
        AND holdfast.schedule_is_busy(s) AS waits
      FROM holdfast.schedules s WHERE
      """
          + DUE
          + " ORDER BY s.next_at NULLS FIRST";

  private enum Step {
    AGAIN,
    WAIT,
    DONE
  }

  private record Due(String name, boolean waits) {}

  /**
   * What a round ends with.
   *
   * @param millis until the next time comes
   */
  private record Round(double millis, Instant now) {}

  /** A schedule whose row is locked. */
  private record Locked(Schedule schedule, Instant now) {}

  private final Transactions transactions;
  private final Sql sql;
  private final Supplier<Duration> ahead;

  /** The latest time that the database has told. */
  private final AtomicReference<Instant> latest = new AtomicReference<>(Instant.EPOCH);

  /** What the database said of schedules whose tickets it refuses, for it is told once. */
  private final Map<String, String> refused = new ConcurrentHashMap<>();

  public PostgresScheduleTicks(DataSource dataSource, String schema) {
    this(dataSource, schema, () -> Duration.ZERO);
  }

  /**
   * For tests, in which time passes faster.
   *
   * @param ahead how far the time of schedules is ahead of the database's clock
   */
  public PostgresScheduleTicks(DataSource dataSource, String schema, Supplier<Duration> ahead) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
    this.ahead = ahead;
  }

  private long aheadMicros() {
    return ahead.get().toNanos() / 1000;
  }

  @Override
  public Duration tick(Duration longest) {
    boolean more = false;
    boolean waiting = false;
    for (Due due : due()) {
      Step step = due.waits ? Step.WAIT : Step.AGAIN;
      for (int i = 0; i < ROUND && step == Step.AGAIN; i++) {
        step = step(due.name);
      }
      more |= step == Step.AGAIN;
      waiting |= step == Step.WAIT;
    }
    if (more) {
      return Duration.ZERO;
    }
    Duration pause = untilNext(longest);
    return waiting && pause.compareTo(LOOK_AGAIN) > 0 ? LOOK_AGAIN : pause;
  }

  /** All of them: a limit would be filled by those that wait, and the others never had a turn. */
  private List<Due> due() {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema(ALL_DUE))
                .bind("ahead", aheadMicros())
                .map((row, context) -> new Due(row.getString("name"), row.getBoolean("waits")))
                .list());
  }

  private Step step(String name) {
    AtomicReference<@Nullable Schedule> read = new AtomicReference<>();
    try {
      Step step =
          transactions.run(
              handle -> {
                Optional<Locked> locked = locked(handle, name, DUE);
                read.set(locked.map(Locked::schedule).orElse(null));
                return locked.map(it -> step(handle, it)).orElse(Step.DONE);
              });
      refused.remove(name);
      return step;
    } catch (StatementRefusedException e) {
      String why = String.valueOf(e.getMessage());
      if (!why.equals(refused.put(name, why))) {
        log.warn("schedule {} makes no ticket now, it is tried again each round: {}", name, why);
      }
      return Step.DONE;
    } catch (QueueUnavailableException e) {
      throw e;
    } catch (TicketBusyException e) {
      return Step.WAIT;
    } catch (HoldfastException e) {
      Schedule failed = read.get();
      if (failed == null) {
        log.warn("schedule {} cannot be read, it is tried again each round", name, e);
      } else {
        giveUp(failed, String.valueOf(e.getMessage()));
      }
      return Step.DONE;
    }
  }

  private Optional<Locked> locked(Handle handle, String name, String condition) {
    String query =
        ("SELECT %s, now() + :ahead * interval '1 microsecond' AS now FROM"
                + " holdfast.schedules s WHERE s.name = :name AND %s FOR UPDATE OF s SKIP LOCKED")
            .formatted(ScheduleRows.COLUMNS, condition);
    return handle
        .createQuery(sql.inSchema(query))
        .bind("name", name)
        .bind("ahead", aheadMicros())
        .map(
            (row, context) ->
                new Locked(
                    ScheduleRows.MAPPER.map(row, context), row.getTimestamp("now").toInstant()))
        .findOne();
  }

  private Step step(Handle handle, Locked locked) {
    Schedule schedule = locked.schedule;
    Timetable timetable = schedule.timetable();
    @Nullable Instant due = schedule.nextAt();
    if (wasAhead(schedule.lastAt(), locked.now)) {
      goOn(handle, locked, null);
      return Step.AGAIN;
    }
    if (wasAhead(schedule.updatedAt(), locked.now)) {
      boolean given =
          due != null && !isOfTimetable(schedule, later(schedule.updatedAt(), latest.get()));
      goOn(handle, locked, given ? due : null);
      return Step.AGAIN;
    }
    if (due == null) {
      // What has come since it was put or resumed was not within a pause: it is made up for.
      @Nullable Instant next = timetable.next(schedule.updatedAt()).orElse(null);
      moveOn(handle, schedule.name(), timetable, next, 0);
      return Step.AGAIN;
    }
    if (due.isAfter(locked.now)) {
      moveOn(handle, schedule.name(), timetable, due, 0);
      return Step.DONE;
    }
    boolean busy = schedule.overlap() != Overlap.ALLOW && busy(handle, schedule.name());
    if (busy && schedule.overlap() == Overlap.QUEUE) {
      return Step.WAIT;
    }
    Optional<Instant> time =
        DueTimes.pick(
            timetable, schedule.catchUp(), due, waitedUntil(handle, schedule), locked.now);
    if (time.isEmpty()) {
      moveOn(handle, schedule.name(), timetable, timetable.next(locked.now).orElse(null), 0);
      return Step.DONE;
    }
    @Nullable Instant next = timetable.next(time.get()).orElse(null);
    if (busy) {
      moveOn(handle, schedule.name(), timetable, next, 1);
      return Step.AGAIN;
    }
    long id = enqueue(handle, schedule.name(), time.get());
    moveOn(handle, schedule.name(), timetable, next, 0);
    log.info("schedule {} made ticket {} for {}", schedule.name(), id, time.get());
    return Step.AGAIN;
  }

  private static boolean wasAhead(@Nullable Instant time, Instant now) {
    return time != null && time.isAfter(now.plus(AHEAD));
  }

  /**
   * What comes next by the right time.
   *
   * @param given what somebody wants to come next, and stays; else null
   */
  private void goOn(Handle handle, Locked locked, @Nullable Instant given) {
    Schedule schedule = locked.schedule;
    String update =
        """
        UPDATE holdfast.schedules SET anchor_at = LEAST(anchor_at, date_trunc('second', :now::timestamptz)),
          updated_at = LEAST(updated_at, :now::timestamptz)
        WHERE name = :name
        """;
    handle
        .createUpdate(sql.inSchema(update))
        .bind("now", locked.now)
        .bind("name", schedule.name())
        .execute();
    Timetable timetable =
        locked(handle, schedule.name(), "true").orElse(locked).schedule.timetable();
    @Nullable Instant next = given == null ? timetable.next(locked.now).orElse(null) : given;
    moveOn(handle, schedule.name(), timetable, next, 0);
  }

  /**
   * Times that were worked out while the clock was ahead; not those that somebody gave.
   *
   * @param before what the clock was ahead to
   * @return false if one is locked and is to be looked at again
   */
  private boolean goOnWithAll(Instant before) {
    String later = "s.next_at > now() + :ahead * interval '1 microsecond'";
    List<String> names =
        transactions.runStatement(
            handle ->
                handle
                    .createQuery(
                        sql.inSchema("SELECT s.name FROM holdfast.schedules s WHERE " + later))
                    .bind("ahead", aheadMicros())
                    .mapTo(String.class)
                    .list());
    boolean all = true;
    for (String name : names) {
      try {
        all &=
            transactions.run(
                handle -> goOnIfWorkedOut(handle, locked(handle, name, later), before));
      } catch (InvalidTicketException e) {
        log.debug("schedule {} cannot be read, and stays as it is: {}", name, e.getMessage());
      } catch (StatementRefusedException e) {
        log.debug("schedule {} is looked at again: {}", name, e.getMessage());
        all = false;
      }
    }
    return all;
  }

  /** Goes on with it if its time was worked out; false if somebody else has its row. */
  private boolean goOnIfWorkedOut(Handle handle, Optional<Locked> locked, Instant before) {
    locked.filter(it -> isOfTimetable(it.schedule, before)).ifPresent(it -> goOn(handle, it, null));
    return locked.isPresent();
  }

  /** Whether its next time was worked out, by a clock that had come to this time at most. */
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

  /** In a statement after the lock: the ticket may have come while another process had it. */
  private boolean busy(Handle handle, String name) {
    String query =
        "SELECT holdfast.schedule_is_busy(s) FROM holdfast.schedules s WHERE s.name = :name";
    return handle.createQuery(sql.inSchema(query)).bind("name", name).mapTo(Boolean.class).one();
  }

  /** The end of the last ticket, if its schedule waits for that; else long ago. */
  private Instant waitedUntil(Handle handle, Schedule schedule) {
    String query =
        """
        SELECT COALESCE(t.completed_at, t.updated_at) + :ahead * interval '1 microsecond' FROM holdfast.schedules s JOIN holdfast.tickets t ON t.id = s.last_ticket
        WHERE s.name = :name AND s.overlap = 'queue'
        """;
    return handle
        .createQuery(sql.inSchema(query))
        .bind("name", schedule.name())
        .bind("ahead", aheadMicros())
        .mapTo(Instant.class)
        .findOne()
        .orElse(Instant.EPOCH);
  }

  private long enqueue(Handle handle, String name, Instant time) {
    String enqueue =
        """
        SELECT holdfast.enqueue_scheduled(s, :time) FROM holdfast.schedules s WHERE s.name = :name
        """;
    return handle
        .createQuery(sql.inSchema(enqueue))
        .bind("time", time)
        .bind("name", name)
        .mapTo(Long.class)
        .one();
  }

  private void moveOn(
      Handle handle, String name, Timetable timetable, @Nullable Instant next, int skipped) {
    String update =
        """
        UPDATE holdfast.schedules SET next_at = :next::timestamptz, next_runs = :runs::text[]::timestamptz[],
          skipped = skipped + :skipped,
          last_at = CASE WHEN last_at <= now() + :ahead * interval '1 microsecond' + interval '1 minute' THEN last_at END,
          problem = CASE WHEN :next::timestamptz IS NULL THEN 'no further time comes' END
        WHERE name = :name
        """;
    handle
        .createUpdate(sql.inSchema(update))
        .bind("next", next)
        .bind("runs", ScheduleRows.nextRuns(timetable, next))
        .bind("skipped", skipped)
        .bind("ahead", aheadMicros())
        .bind("name", name)
        .execute();
  }

  /** Not where it was put again meanwhile: who did so may have mended it. */
  private void giveUp(Schedule schedule, String problem) {
    String update =
        "UPDATE holdfast.schedules SET next_at = NULL, next_runs = NULL, problem = left(:problem,"
            + " 1000) WHERE name = :name AND updated_at = :read AND problem IS NULL";
    int given =
        transactions.runStatement(
            handle ->
                handle
                    .createUpdate(sql.inSchema(update))
                    .bind("problem", problem)
                    .bind("name", schedule.name())
                    .bind("read", schedule.updatedAt())
                    .execute());
    if (given > 0) {
      log.warn("schedule {} makes no tickets until it is put again: {}", schedule.name(), problem);
    }
  }

  private Duration untilNext(Duration longest) {
    String query =
        """
        SELECT GREATEST(0, COALESCE(extract(epoch FROM min(s.next_at) - clock_timestamp() - :ahead * interval '1 microsecond') * 1000, :longest)) AS millis,
          now() + :ahead * interval '1 microsecond' AS now
        FROM holdfast.schedules s
        WHERE s.paused_at IS NULL AND s.problem IS NULL AND s.next_at > now() + :ahead * interval '1 microsecond'
        """;
    Round round =
        transactions.runStatement(
            handle ->
                handle
                    .createQuery(sql.inSchema(query))
                    .bind("longest", longest.toMillis())
                    .bind("ahead", aheadMicros())
                    .map(
                        (row, context) ->
                            new Round(row.getDouble("millis"), row.getTimestamp("now").toInstant()))
                    .one());
    Instant before = latest.get();
    if (!wasAhead(before, round.now)) {
      latest.set(round.now);
    } else if (goOnWithAll(before)) {
      // Only now: what failed or was locked is tried again.
      latest.set(round.now);
      return Duration.ZERO;
    }
    // Rounded up: a time that is a millisecond away must not be looked for a thousand times.
    return Duration.ofMillis(Math.min(longest.toMillis(), (long) Math.ceil(round.millis)));
  }
}
