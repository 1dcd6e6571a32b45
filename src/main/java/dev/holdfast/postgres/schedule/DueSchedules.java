package dev.holdfast.postgres.schedule;

import dev.holdfast.postgres.Sql;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.Timetable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The statements of {@link PostgresScheduleTicks}, each in its caller's transaction. Thread-safe.
 */
final class DueSchedules {
  /**
   * The condition for schedules that are due, or whose next runs are to be computed: SQL and
   * earlier binaries do not compute them.
   */
  static final String DUE =
      """
      s.paused_at IS NULL AND s.problem IS NULL AND (s.next_at IS NULL OR s.next_at <= now() + :ahead * interval '1 microsecond'
        OR s.next_runs[1] IS DISTINCT FROM s.next_at
        OR GREATEST(s.last_at, s.updated_at) > now() + :ahead * interval '1 microsecond' + interval '1 minute')
      """;

  /** The condition for schedules whose next time has not come. */
  static final String LATER = "s.next_at > now() + :ahead * interval '1 microsecond'";

  /**
   * All that are due. A schedule that waits for its last ticket is marked, so that it costs no
   * transaction of its own each second.
   */
  private static final String ALL_DUE =
      """
      SELECT s.name, s.overlap = 'queue' AND s.next_at <= now() + :ahead * interval '1 microsecond'
        AND holdfast.schedule_is_busy(s) AS waits
      FROM holdfast.schedules s WHERE
      """
          + DUE
          + " ORDER BY s.next_at NULLS FIRST";

  record Due(String name, boolean waits) {}

  /**
   * The end of a round.
   *
   * @param millis the time until the next one is due; 0 if one has come during the round
   */
  record Round(double millis, Instant now) {}

  /** A schedule whose row is locked. */
  record Locked(Schedule schedule, Instant now) {}

  private final Sql sql;
  private final Supplier<Duration> ahead;

  /**
   * @param ahead how far the time of schedules is ahead of the database's clock
   */
  DueSchedules(String schema, Supplier<Duration> ahead) {
    this.sql = new Sql(schema);
    this.ahead = ahead;
  }

  private long aheadMicros() {
    return ahead.get().toNanos() / 1000;
  }

  /**
   * Returns all of them: with a limit, those that wait would fill it, and the others would never
   * have a turn.
   */
  List<Due> due(Handle handle) {
    return handle
        .createQuery(sql.inSchema(ALL_DUE))
        .bind("ahead", aheadMicros())
        .map((row, context) -> new Due(row.getString("name"), row.getBoolean("waits")))
        .list();
  }

  /** Returns the names of those for which this is true in SQL. */
  List<String> names(Handle handle, String condition) {
    return handle
        .createQuery(sql.inSchema("SELECT s.name FROM holdfast.schedules s WHERE " + condition))
        .bind("ahead", aheadMicros())
        .mapTo(String.class)
        .list();
  }

  /**
   * Locks a schedule; empty if the condition no longer holds, or another process has locked its
   * row.
   */
  Optional<Locked> locked(Handle handle, String name, String condition) {
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

  /**
   * Returns whether it is busy. It asks in a statement after the lock: the ticket may have come
   * while another process had it.
   */
  boolean busy(Handle handle, String name) {
    String query =
        "SELECT holdfast.schedule_is_busy(s) FROM holdfast.schedules s WHERE s.name = :name";
    return handle.createQuery(sql.inSchema(query)).bind("name", name).mapTo(Boolean.class).one();
  }

  /**
   * Returns the end of the last ticket, if its schedule waits for that; otherwise a time long ago.
   */
  Instant waitedUntil(Handle handle, Schedule schedule) {
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

  long enqueue(Handle handle, String name, Instant time) {
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

  /**
   * @param next the next time; null if no further time comes
   * @param skipped times that passed without a ticket
   */
  void moveOn(
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

  /** Corrects the times of a schedule that was put while the clock was ahead. */
  void countFrom(Handle handle, String name, Instant now) {
    String update =
        """
        UPDATE holdfast.schedules SET anchor_at = LEAST(anchor_at, date_trunc('second', :now::timestamptz)),
          updated_at = LEAST(updated_at, :now::timestamptz)
        WHERE name = :name
        """;
    handle.createUpdate(sql.inSchema(update)).bind("now", now).bind("name", name).execute();
  }

  /**
   * Gives a schedule up, but not if it was put again meanwhile: that may have mended it.
   *
   * @return whether it was given up
   */
  boolean giveUp(Handle handle, Schedule schedule, String problem) {
    String update =
        "UPDATE holdfast.schedules SET next_at = NULL, next_runs = NULL, problem = left(:problem,"
            + " 1000) WHERE name = :name AND updated_at = :read AND problem IS NULL";
    return handle
            .createUpdate(sql.inSchema(update))
            .bind("problem", problem)
            .bind("name", schedule.name())
            .bind("read", schedule.updatedAt())
            .execute()
        > 0;
  }

  /**
   * @param took the time that the round took; a schedule that was due longer ago has had its turn
   */
  Round round(Handle handle, Duration longest, Duration took) {
    String query =
        """
        SELECT GREATEST(0, COALESCE(extract(epoch FROM min(s.next_at) - clock_timestamp() - :ahead * interval '1 microsecond') * 1000, :longest)) AS millis,
          now() + :ahead * interval '1 microsecond' AS now
        FROM holdfast.schedules s
        WHERE s.paused_at IS NULL AND s.problem IS NULL AND s.next_at > now() + (:ahead - :took) * interval '1 microsecond'
        """;
    return handle
        .createQuery(sql.inSchema(query))
        .bind("longest", longest.toMillis())
        .bind("ahead", aheadMicros())
        .bind("took", took.toNanos() / 1000)
        .map(
            (row, context) ->
                new Round(row.getDouble("millis"), row.getTimestamp("now").toInstant()))
        .one();
  }
}
