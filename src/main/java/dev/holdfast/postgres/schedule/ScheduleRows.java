package dev.holdfast.postgres.schedule;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.Timetable;
import java.time.Instant;
import java.util.stream.Stream;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jspecify.annotations.Nullable;

/** Reads rows of {@code schedules}. */
final class ScheduleRows {
  /** The columns, for a FROM that names the table {@code s}. */
  static final String COLUMNS =
      """
      s.name, s.cron, (extract(epoch FROM s.every) * 1000)::bigint AS every_ms, s.zone, s.design,
      s.kind, s.title, s.payload::text AS payload, s.queue, s.priority, upper(s.catch_up) AS catch_up,
      upper(s.overlap) AS overlap, s.anchor_at, s.next_at, s.last_at, s.last_ticket, s.skipped,
      s.problem, s.paused_at, s.paused_by, s.updated_at, s.updated_by
      """;

  static final RowMapper<Schedule> MAPPER = RecordMapper.of(Schedule.class);

  private static final int NEXT_RUNS = 10;

  private ScheduleRows() {}

  /** Returns the texts of next_runs that go with this next_at. */
  static String @Nullable [] nextRuns(Timetable timetable, @Nullable Instant nextAt) {
    return nextAt == null
        ? null
        : Stream.concat(Stream.of(nextAt), timetable.upcoming(nextAt, NEXT_RUNS - 1).stream())
            .map(Instant::toString)
            .toArray(String[]::new);
  }
}
