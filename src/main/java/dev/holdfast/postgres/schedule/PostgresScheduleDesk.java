package dev.holdfast.postgres.schedule;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.schedule.Timetable;
import dev.holdfast.ticket.InvalidInputException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public record PostgresScheduleDesk(Transactions transactions, Sql sql) implements ScheduleDesk {
  /** The most bytes of all payloads in a list. */
  private static final int MOST_LISTED_BYTES = 4 << 20;

  public PostgresScheduleDesk(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema));
  }

  @Override
  public ScheduleDesk through(Channel channel) {
    return new PostgresScheduleDesk(transactions.through(channel), sql);
  }

  @Override
  public List<Schedule> list() {
    return transactions.runStatement(handle -> rows(handle, null));
  }

  @Override
  public Optional<Schedule> find(String name) {
    return transactions.runStatement(handle -> rows(handle, name)).stream().findFirst();
  }

  private List<Schedule> rows(Handle handle, @Nullable String name) {
    String query =
        "SELECT "
            + ScheduleRows.COLUMNS
            + """
             FROM (
              SELECT x.name, x.cron, x.every, x.zone, x.design, x.kind, x.title, x.queue, x.priority, x.catch_up, x.overlap, x.anchor_at,
                x.next_at, x.last_at, x.last_ticket, x.skipped, x.problem, x.paused_at, x.paused_by, x.updated_at, x.updated_by,
                CASE WHEN x.name = :name::text OR sum(holdfast.measured_bytes(x.payload)) OVER (ORDER BY x.name) <= :most THEN x.payload
                  ELSE '{"left_out": "the list would be too long; ask for this schedule alone"}' END AS payload
              FROM holdfast.schedules x WHERE :name::text IS NULL OR x.name = :name::text) s
            ORDER BY s.name
            """;
    return handle
        .createQuery(sql.inSchema(query))
        .bind("name", name)
        .bind("most", MOST_LISTED_BYTES)
        .map(ScheduleRows.MAPPER)
        .list();
  }

  @Override
  public Schedule put(NewSchedule schedule, String actor) {
    String put =
        """
        SELECT FROM holdfast.put_schedule(
          :name, :actor, :cron, :every * interval '1 millisecond', :zone, :design, :kind,
          :payload::jsonb, :queue, :title, :priority, :catchUp, :overlap, :next,
          :runs::text[]::timestamptz[])
        """;
    NewTicket ticket = schedule.ticket();
    requireNoMore(ticket);
    return transactions.run(
        handle -> {
          Instant now =
              handle.createQuery("SELECT date_trunc('second', now())").mapTo(Instant.class).one();
          Timetable timetable =
              Timetable.of(schedule.cron(), schedule.every(), schedule.zone(), now);
          @Nullable Instant next = timetable.next(now).orElse(null);
          handle
              .createQuery(sql.inSchema(put))
              .bind("name", schedule.name())
              .bind("actor", actor)
              .bind("cron", schedule.cron())
              .bind("every", schedule.every() == null ? null : schedule.every().toMillis())
              .bind("zone", schedule.zone())
              .bind("design", ticket.design())
              .bind("kind", ticket.kind())
              .bind("payload", ticket.payload())
              .bind("queue", ticket.queue())
              .bind("title", ticket.title())
              .bind("priority", ticket.priority())
              .bind("catchUp", schedule.catchUp().name().toLowerCase(Locale.ROOT))
              .bind("overlap", schedule.overlap().name().toLowerCase(Locale.ROOT))
              .bind("next", next)
              .bind("runs", ScheduleRows.nextRuns(timetable, next))
              .mapToMap()
              .list();
          return rows(handle, schedule.name()).getFirst();
        });
  }

  /**
   * Refuses fields for which a schedule has no column: they would be missing from its tickets
   * without notice.
   */
  private static void requireNoMore(NewTicket ticket) {
    NewTicket known =
        NewTicket.of(ticket.design(), ticket.kind())
            .withPayload(ticket.payload())
            .withTitle(ticket.title())
            .withQueue(ticket.queue())
            .withPriority(ticket.priority())
            .withDelay(ticket.delay())
            .withRunAt(ticket.runAt())
            .withExpiry(ticket.expiry())
            .withUniqueKey(ticket.uniqueKey())
            .withUniqueness(ticket.uniqueness());
    if (!known.equals(ticket)) {
      throw new InvalidInputException(
          "a ticket of a schedule has a design or a kind, and at most a payload, a title, a queue"
              + " and a priority; a limit of its cost or its time stands in the design");
    }
  }

  @Override
  public void pause(String name, String actor) {
    change("pause_schedule", name, actor);
  }

  @Override
  public void resume(String name, String actor) {
    change("resume_schedule", name, actor);
  }

  @Override
  public void delete(String name, String actor) {
    change("delete_schedule", name, actor);
  }

  @Override
  public long run(String name, String actor) {
    return transactions.run(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT holdfast.run_schedule(:name, :actor)"))
                .bind("name", name)
                .bind("actor", actor)
                .mapTo(Long.class)
                .one());
  }

  private void change(String function, String name, String actor) {
    String statement = sql.inSchema("SELECT FROM holdfast." + function + "(?, ?)");
    transactions.run(handle -> handle.execute(statement, name, actor));
  }
}
