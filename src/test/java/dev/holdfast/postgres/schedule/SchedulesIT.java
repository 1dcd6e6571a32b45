package dev.holdfast.postgres.schedule;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.schedule.CatchUp;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleLoop;
import dev.holdfast.schedule.ScheduleTicks;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
@DisplayName("Schedules in the database")
class SchedulesIT {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @AutoClose private final HikariDataSource pool;
  private final Jdbi jdbi;
  private final PostgresScheduleDesk desk;
  private final ScheduleTicks ticks;
  private final ScheduleTicks otherTicks;

  SchedulesIT(TestDatabase database) {
    this.pool = new TicketDatabase(database).pool(4);
    this.jdbi = Jdbi.create(pool);
    this.desk = new PostgresScheduleDesk(pool, "holdfast");
    this.ticks = new PostgresScheduleTicks(pool, "holdfast");
    this.otherTicks = new PostgresScheduleTicks(pool, "holdfast");
  }

  @BeforeEach
  void clean() {
    sql("DELETE FROM holdfast.schedules");
    sql(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred,"
            + " holdfast.ticket_activity");
  }

  private void sql(String statement) {
    jdbi.useHandle(handle -> handle.execute(statement));
  }

  private long count(String condition) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT count(*) FROM holdfast.tickets WHERE " + condition)
                .mapTo(Long.class)
                .one());
  }

  private Schedule put(
      String name,
      @Nullable String cron,
      @Nullable Duration every,
      CatchUp catchUp,
      Overlap overlap) {
    NewTicket ticket = NewTicket.ofKind("work").withPayload("{\"n\": 1}").withQueue("timed");
    return desk.put(
        new NewSchedule(name, cron, every, "Europe/Berlin", ticket, catchUp, overlap), "ann");
  }

  /** As after an outage: the schedule has been due for this long. */
  private void dueSince(String name, String interval) {
    sql(
        "UPDATE holdfast.schedules SET anchor_at = anchor_at - '"
            + interval
            + "'::interval, next_at = next_at - '"
            + interval
            + "'::interval WHERE name = '"
            + name
            + "'");
  }

  private Schedule find(String name) {
    return desk.find(name).orElseThrow();
  }

  private void tickToTheEnd() {
    while (ticks.tick(LONGEST).isZero()) {
      // until nothing is due
    }
  }

  @Test
  @DisplayName(
      "where there is none, it is looked for as seldom as allowed; else when the next comes")
  void seldom() {
    assertThat(ticks.tick(LONGEST)).isEqualTo(LONGEST);
    put("soon", null, Duration.ofSeconds(5), CatchUp.LAST, Overlap.ALLOW);
    assertThat(ticks.tick(LONGEST)).isBetween(Duration.ofMillis(1), Duration.ofSeconds(5));
    desk.pause("soon", "ann");
    assertThat(ticks.tick(LONGEST)).isEqualTo(LONGEST);
  }

  @Test
  @DisplayName(
      "put works the next time out, at once and in words where it cannot; it can be put again")
  void put() {
    Schedule nightly = put("nightly", "0 3 * * *", null, CatchUp.LAST, Overlap.ALLOW);
    assertThat(nightly.nextAt()).isAfter(Instant.now()).isBefore(Instant.now().plusSeconds(90000));
    assertThat(nightly.payload()).contains("\"n\": 1");
    put("nightly", null, Duration.ofMinutes(15), CatchUp.ALL, Overlap.SKIP);
    assertThat(find("nightly").cron()).isNull();
    assertThat(find("nightly").everyMs()).isEqualTo(900_000);
    assertThat(desk.list()).hasSize(1);

    assertThatThrownBy(() -> put("x", "0 3 30 2 *", null, CatchUp.LAST, Overlap.ALLOW))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("never comes");
    assertThatThrownBy(() -> put("no spaces", "@daily", null, CatchUp.LAST, Overlap.ALLOW))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("not the name of a schedule");
    for (int days : List.of(4_000, 999_999)) {
      assertThatThrownBy(() -> put("x", null, Duration.ofDays(days), CatchUp.LAST, Overlap.ALLOW))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("every must be from 1 second to 10 years");
    }
    NewTicket unknown = NewTicket.ofDesign("nobody-made-it");
    assertThatThrownBy(
            () ->
                desk.put(
                    new NewSchedule(
                        "x", "@daily", null, "UTC", unknown, CatchUp.LAST, Overlap.ALLOW),
                    "ann"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("nobody-made-it");
    assertThat(desk.find("x")).isEmpty();
  }

  @Test
  @DisplayName("put in SQL takes no infinity for the next time, nor for the next ten")
  void infinity() {
    for (String time : List.of("infinity", "-infinity")) {
      for (String next : List.of("next_at => '%s'", "next_runs => '{2026-11-21, %s}'")) {
        assertThatThrownBy(
                () ->
                    sql(
                        "SELECT holdfast.put_schedule('x', 'ann', every => '1h', kind => 'k', "
                            + next.formatted(time)
                            + ")"))
            .hasMessageContaining(next.split(" ", 2)[0] + " must be a time, not " + time);
      }
    }
  }

  @Test
  @DisplayName("each of three hundred times makes one ticket, whichever of two processes is first")
  void onceEach() throws Exception {
    put("beat", null, Duration.ofSeconds(1), CatchUp.ALL, Overlap.ALLOW);
    dueSince("beat", "300 seconds");
    Instant end = Instant.now().minusSeconds(1);
    List<Future<?>> both = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (ScheduleTicks each : List.of(ticks, otherTicks)) {
        both.add(
            threads.submit(
                () -> {
                  while (requireNonNull(find("beat").nextAt()).isBefore(end)) {
                    each.tick(LONGEST);
                  }
                }));
      }
    }
    for (Future<?> each : both) {
      each.get();
    }
    assertThat(count("queue = 'timed' AND kind = 'work'")).isBetween(298L, 400L);
    List<String> keys =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery("SELECT unique_key FROM holdfast.tickets ORDER BY unique_key")
                    .mapTo(String.class)
                    .list());
    List<Instant> times =
        keys.stream().map(key -> Instant.parse(key.substring("schedule:beat:".length()))).toList();
    for (int i = 1; i < times.size(); i++) {
      assertThat(times.get(i)).isEqualTo(times.get(i - 1).plusSeconds(1));
    }
  }

  @Test
  @DisplayName("after two days without a worker: none, the last or all of an hourly schedule")
  void outage() {
    put("none", null, Duration.ofHours(1), CatchUp.NONE, Overlap.ALLOW);
    put("last", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    put("all", null, Duration.ofHours(1), CatchUp.ALL, Overlap.ALLOW);
    for (String name : List.of("none", "last", "all")) {
      dueSince(name, "48 hours 30 minutes");
    }
    tickToTheEnd();
    assertThat(count("unique_key LIKE 'schedule:none:%'")).isZero();
    assertThat(count("unique_key LIKE 'schedule:last:%'")).isEqualTo(1);
    assertThat(count("unique_key LIKE 'schedule:all:%'")).isEqualTo(48);
    for (Schedule each : desk.list()) {
      assertThat(each.nextAt())
          .isAfter(Instant.now())
          .isBefore(Instant.now().plus(Duration.ofMinutes(31)));
    }
  }

  @Test
  @DisplayName(
      "while the last ticket has not ended: another one, a skipped time, or one that waits")
  void overlap() {
    for (Overlap each : Overlap.values()) {
      put(each.name(), null, Duration.ofHours(1), CatchUp.LAST, each);
      dueSince(each.name(), "61 minutes");
    }
    tickToTheEnd();
    assertThat(count("true")).isEqualTo(3);
    for (Overlap each : Overlap.values()) {
      dueSince(each.name(), "61 minutes");
    }
    Duration pause = ticks.tick(LONGEST);
    assertThat(count("unique_key LIKE 'schedule:ALLOW:%'")).isEqualTo(2);
    assertThat(count("unique_key LIKE 'schedule:SKIP:%'")).isEqualTo(1);
    assertThat(find("SKIP").skipped()).isEqualTo(1);
    assertThat(count("unique_key LIKE 'schedule:QUEUE:%'")).isEqualTo(1);
    assertThat(find("QUEUE").nextAt()).as("still due").isBefore(Instant.now());
    assertThat(pause)
        .as("it is looked at again soon")
        .isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));

    sql(
        "SELECT holdfast.hold_ticket(last_ticket, 'ann', 'look') FROM holdfast.schedules WHERE name"
            + " = 'QUEUE'");
    ticks.tick(LONGEST);
    assertThat(count("unique_key LIKE 'schedule:QUEUE:%'"))
        .as("a held one has not ended")
        .isEqualTo(1);
    sql(
        "SELECT holdfast.cancel_ticket(last_ticket, 'ann', 'enough') FROM holdfast.schedules WHERE"
            + " name = 'QUEUE'");
    ticks.tick(LONGEST);
    assertThat(count("unique_key LIKE 'schedule:QUEUE:%'")).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "a time that waited for the last ticket is not missed, also where none is made up for")
  void queuedIsNotMissed() {
    put("q", null, Duration.ofHours(1), CatchUp.NONE, Overlap.QUEUE);
    desk.run("q", "ann");
    dueSince("q", "61 minutes 30 seconds");
    assertThat(ticks.tick(LONGEST)).as("it waits").isLessThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(find("q").nextAt()).isBefore(Instant.now());
    sql("SELECT holdfast.cancel_ticket(last_ticket, 'ann', 'enough') FROM holdfast.schedules");
    tickToTheEnd();
    assertThat(count("unique_key LIKE 'schedule:q:%'")).isEqualTo(1);

    sql("SELECT holdfast.cancel_ticket(last_ticket, 'ann', 'enough') FROM holdfast.schedules");
    sql("UPDATE holdfast.ticket_base SET completed_at = now() - interval '2 minutes'");
    dueSince("q", "61 minutes 30 seconds");
    tickToTheEnd();
    assertThat(count("unique_key LIKE 'schedule:q:%'")).as("no worker ran").isEqualTo(1);
    assertThat(find("q").nextAt()).isAfter(Instant.now());
  }

  @Test
  @DisplayName("many that wait for their last ticket keep no other schedule from its time")
  void waitingKeepNoOther() {
    put("waits", null, Duration.ofHours(1), CatchUp.LAST, Overlap.QUEUE);
    desk.run("waits", "ann");
    dueSince("waits", "90 minutes");
    sql(
        """
        INSERT INTO holdfast.schedules (name, every, kind, queue, overlap, anchor_at, next_at, next_runs, last_ticket, updated_by)
        SELECT 'waits-' || n, s.every, s.kind, s.queue, s.overlap, s.anchor_at, s.next_at, s.next_runs, s.last_ticket, s.updated_by
        FROM holdfast.schedules s, generate_series(1, 150) n
        """);
    put("other", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("other", "61 minutes");
    assertThat(ticks.tick(LONGEST))
        .as("those that wait are looked at again soon")
        .isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
    assertThat(count("unique_key LIKE 'schedule:other:%'")).isEqualTo(1);
    assertThat(count("unique_key LIKE 'schedule:waits%'")).isZero();
  }

  @Test
  @DisplayName("however many are due at one time, all make their tickets at once")
  void manyAtOneTime() {
    put("due", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("due", "61 minutes");
    sql(
        """
        INSERT INTO holdfast.schedules (name, every, kind, queue, anchor_at, next_at, next_runs, updated_by)
        SELECT 'due-' || n, s.every, s.kind, s.queue, s.anchor_at, s.next_at, s.next_runs, s.updated_by
        FROM holdfast.schedules s, generate_series(1, 150) n
        """);
    tickToTheEnd();
    assertThat(count("unique_key LIKE 'schedule:due%'")).isEqualTo(151);
  }

  @Test
  @DisplayName("one that comes due while a round makes tickets of others has its turn right after")
  void dueDuringARound() {
    put("due", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("due", "61 minutes");
    put("next", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    AtomicBoolean listed = new AtomicBoolean();
    AtomicBoolean came = new AtomicBoolean();
    ScheduleTicks slow =
        new PostgresScheduleTicks(
            pool,
            "holdfast",
            () -> {
              if (listed.getAndSet(true) && !came.getAndSet(true)) {
                sql(
                    "WITH t AS (SELECT clock_timestamp() AS at) UPDATE holdfast.schedules SET"
                        + " next_at = at, next_runs = ARRAY[at] FROM t WHERE name = 'next'");
              }
              return Duration.ZERO;
            });
    assertThat(slow.tick(LONGEST)).isZero();
    assertThat(count("unique_key LIKE 'schedule:next:%'")).isZero();
    slow.tick(LONGEST);
    assertThat(count("unique_key LIKE 'schedule:next:%'")).isOne();
  }

  @Test
  @DisplayName(
      "a pause stops it, its times are not made up for; run makes one whatever; delete leaves"
          + " tickets")
  void pauseRunDelete() {
    put("p", null, Duration.ofHours(1), CatchUp.ALL, Overlap.SKIP);
    desk.pause("p", "ann");
    dueSince("p", "5 hours 30 minutes");
    tickToTheEnd();
    assertThat(count("true")).isZero();
    assertThat(find("p").pausedBy()).isEqualTo("ann");
    long id = desk.run("p", "ben");
    assertThat(count("id = " + id + " AND title = 'p'")).isEqualTo(1);
    desk.resume("p", "ann");
    tickToTheEnd();
    assertThat(count("true")).isEqualTo(1);
    assertThat(find("p").nextAt()).isAfter(Instant.now());
    desk.delete("p", "ann");
    assertThat(desk.find("p")).isEmpty();
    assertThat(count("true")).isEqualTo(1);
    for (String action : List.of("pause", "resume", "run", "delete")) {
      assertThatThrownBy(() -> change(action)).isInstanceOf(NotFoundException.class);
    }
    List<String> actions =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT action FROM holdfast.ticket_activity WHERE details ->> 'schedule' ="
                            + " 'p' ORDER BY id")
                    .mapTo(String.class)
                    .list());
    assertThat(actions)
        .containsExactly(
            "schedule_put", "schedule_paused", "enqueued", "schedule_resumed", "schedule_deleted");
  }

  /** As SQL shows them. */
  private List<Instant> nextRuns(String name) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT unnest(next_runs) FROM holdfast.schedules WHERE name = :name")
                .bind("name", name)
                .mapTo(Instant.class)
                .list());
  }

  private void holdsNextTenRuns(String name) {
    Schedule schedule = find(name);
    Instant next = requireNonNull(schedule.nextAt());
    assertThat(nextRuns(name))
        .as(name)
        .startsWith(next)
        .isEqualTo(schedule.timetable().upcoming(next.minusNanos(1000), 10))
        .hasSize(10);
  }

  @Test
  @DisplayName(
      "SQL shows the next ten runs: after a put by whatever way, after each ticket, a pause and a"
          + " resume, and across the change of the clock")
  void nextRunsInSql() {
    put("java", "0 3 * * *", null, CatchUp.LAST, Overlap.ALLOW);
    put("beat", null, Duration.ofMinutes(15), CatchUp.LAST, Overlap.ALLOW);
    holdsNextTenRuns("java");
    holdsNextTenRuns("beat");
    sql(
        "SELECT holdfast.put_schedule('spring', 'ann', cron => '30 12 24-31 3 *', zone =>"
            + " 'Europe/Berlin', kind => 'work')");
    sql("SELECT holdfast.put_schedule('sql', 'ann', every => '90 seconds', kind => 'work')");
    assertThat(nextRuns("spring")).isEmpty();
    ticks.tick(LONGEST);
    holdsNextTenRuns("sql");
    holdsNextTenRuns("spring");
    Instant first = nextRuns("spring").getFirst();
    ZoneId berlin = ZoneId.of("Europe/Berlin");
    assertThat(nextRuns("spring"))
        .allMatch(time -> time.atZone(berlin).toLocalTime().equals(LocalTime.of(12, 30)));
    assertThat(
            nextRuns("spring").stream().map(time -> Duration.between(first, time).toHours() % 24))
        .as("the clock goes forward on one of these days")
        .contains(23L);

    dueSince("beat", "15 minutes");
    tickToTheEnd();
    assertThat(count("unique_key LIKE 'schedule:beat:%'")).isEqualTo(1);
    holdsNextTenRuns("beat");

    desk.pause("beat", "ann");
    holdsNextTenRuns("beat");
    desk.resume("beat", "ann");
    holdsNextTenRuns("beat");
    desk.pause("beat", "ann");
    dueSince("beat", "31 minutes");
    desk.resume("beat", "ann");
    assertThat(nextRuns("beat")).as("a worker works them out").isEmpty();
    tickToTheEnd();
    holdsNextTenRuns("beat");

    sql("UPDATE holdfast.schedules SET cron = '0 0 30 2 *', next_at = NULL WHERE name = 'java'");
    tickToTheEnd();
    assertThat(find("java").problem()).isNotNull();
    assertThat(nextRuns("java")).isEmpty();
  }

  @Test
  @DisplayName("next runs of an earlier worker, which does not know them, are mended")
  void nextRunsOfEarlierWorkers() {
    put("old", "*/5 * * * *", null, CatchUp.LAST, Overlap.ALLOW);
    sql("UPDATE holdfast.schedules SET next_at = next_runs[2]");
    ticks.tick(LONGEST);
    holdsNextTenRuns("old");
    sql("UPDATE holdfast.schedules SET next_runs = NULL");
    ticks.tick(LONGEST);
    holdsNextTenRuns("old");
    assertThat(count("true")).isZero();
  }

  private void change(String action) {
    switch (action) {
      case "pause" -> desk.pause("p", "ann");
      case "resume" -> desk.resume("p", "ann");
      case "run" -> desk.run("p", "ann");
      default -> desk.delete("p", "ann");
    }
  }

  @Test
  @DisplayName(
      "what SQL alone cannot judge is told in the row by a worker, and does not stop the others")
  void problems() {
    sql("SELECT holdfast.put_schedule('bad', 'ann', cron => 'at dawn', kind => 'work')");
    sql(
        "SELECT holdfast.put_schedule('nowhere', 'ann', cron => '@daily', zone => 'Mars/Base', kind"
            + " => 'work')");
    sql(
        "SELECT holdfast.put_schedule('good', 'ann', cron => '@daily', zone => 'Europe/Berlin',"
            + " kind => 'work')");
    tickToTheEnd();
    assertThat(find("bad").problem()).startsWith("cron: \"at dawn\" is none");
    assertThat(find("nowhere").problem()).contains("there is no time zone \"Mars/Base\"");
    assertThat(find("good").nextAt()).isAfter(Instant.now());
    assertThat(count("true")).isZero();
    sql("SELECT holdfast.put_schedule('bad', 'ann', every => '1 hour', kind => 'work')");
    assertThat(find("bad").problem()).isNull();
    assertThat(find("bad").nextAt()).isAfter(Instant.now());
  }

  @Test
  @DisplayName("garbage in SQL is refused in words")
  void refused() {
    for (String call :
        List.of(
            "'x', 'ann', kind => 'work'",
            "'x', 'ann', cron => '@daily', every => '1 hour', kind => 'work'",
            "'x', 'ann', cron => '@daily'",
            "'x', '', cron => '@daily', kind => 'work'",
            "NULL, 'ann', cron => '@daily', kind => 'work'",
            "'x', 'ann', every => '0', kind => 'work'",
            "'x', 'ann', every => '-1 hour', kind => 'work'",
            "'x', 'ann', every => '1 month', kind => 'work'",
            "'x', 'ann', every => '100 years', kind => 'work'",
            "'x', 'ann', cron => '@daily', kind => 'work', catch_up => 'some'",
            "'x', 'ann', cron => '@daily', kind => 'work', overlap => NULL",
            "'x', 'ann', cron => '@daily', kind => 'no kind'",
            "'x', 'ann', cron => '@daily', kind => 'work', queue => 'no queue'",
            "'x', 'ann', cron => repeat('1,', 200), kind => 'work'",
            "'x', 'ann', cron => '@daily', kind => 'work', payload => ('[' || repeat('1e99999,',"
                + " 3000) || '1]')::jsonb")) {
      assertThatThrownBy(() -> sql("SELECT holdfast.put_schedule(" + call + ")"))
          .as(call)
          .hasMessageFindingMatch("(?i)ERROR: .{5}");
    }
    assertThat(desk.list()).isEmpty();
  }

  @Test
  @DisplayName("a ticket that cannot be made is told in the row; nothing is made twice for it")
  void cannotBeMade() {
    put("p", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("p", "61 minutes");
    sql("UPDATE holdfast.schedules SET kind = 'no kind at all'");
    tickToTheEnd();
    assertThat(find("p").problem()).contains("not the name of a kind");
    assertThat(count("true")).isZero();
  }

  @Test
  @DisplayName("a schedule that is put again while a ticket of it fails to be made goes on")
  void putWhileItFails() throws Exception {
    put("p", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("p", "61 minutes");
    sql(
        """
        CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM pg_advisory_xact_lock(4711);
          RAISE 'never' USING ERRCODE = 'HF422';
        END $$;
        CREATE TRIGGER fail_late BEFORE INSERT ON holdfast.ticket_base FOR EACH ROW EXECUTE FUNCTION fail_late()
        """);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Handle gate = jdbi.open()) {
      gate.execute("SELECT pg_advisory_lock(4711)");
      Future<Duration> tick = threads.submit(() -> ticks.tick(LONGEST));
      awaitLocked(gate, 1);
      Future<Schedule> again =
          threads.submit(() -> put("p", null, Duration.ofHours(2), CatchUp.LAST, Overlap.ALLOW));
      awaitLocked(gate, 2);
      gate.execute("SELECT pg_advisory_unlock(4711)");
      tick.get();
      again.get();
    } finally {
      sql("DROP FUNCTION fail_late() CASCADE");
    }
    assertThat(find("p").problem()).isNull();
    assertThat(find("p").nextAt()).isNotNull();
  }

  private static void awaitLocked(Handle handle, int sessions) {
    await()
        .until(
            () ->
                handle
                    .createQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND wait_event_type = 'Lock'")
                    .mapTo(Integer.class)
                    .one(),
            waiting -> waiting == sessions);
  }

  @Test
  @DisplayName("a lock of somebody else's ends no schedule: it is looked at again")
  void locked() {
    put("p", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("p", "61 minutes");
    try (HikariDataSource impatient = new HikariDataSource(impatient());
        Handle other = jdbi.open()) {
      ScheduleTicks locked = new PostgresScheduleTicks(impatient, "holdfast");
      other.begin();
      other.execute("LOCK TABLE holdfast.ticket_base IN SHARE MODE");
      assertThat(locked.tick(LONGEST)).isPositive();
      assertThat(find("p").problem()).isNull();
      other.rollback();
    }
    tickToTheEnd();
    assertThat(count("true")).isEqualTo(1);
  }

  @Test
  @DisplayName("one whose tickets the database refuses ends no schedule and keeps no other back")
  void refusedByTheDatabase() {
    put("first", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("first", "62 minutes");
    put("second", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("second", "61 minutes");
    sql(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON holdfast.ticket_base FOR EACH ROW WHEN (NEW.title = 'first') EXECUTE FUNCTION refuse()
        """);
    try {
      assertThat(ticks.tick(LONGEST)).isPositive();
      assertThat(count("title = 'second'")).isEqualTo(1);
      assertThat(find("first").problem()).isNull();
    } finally {
      sql("DROP FUNCTION refuse() CASCADE");
    }
    tickToTheEnd();
    assertThat(count("title = 'first'")).isEqualTo(1);
  }

  @Test
  @DisplayName("a time behind a put in SQL or the end of a pause is made up for by whoever sees it")
  void comesBeforeAWorkerLooks() {
    String put =
        "SELECT holdfast.put_schedule('%s', 'ann', cron => '0 * * * *', kind => 'work', catch_up"
            + " => 'all')";
    sql(put.formatted("put"));
    sql(put.formatted("resumed"));
    tickToTheEnd();
    sql(put.formatted("put"));
    desk.pause("resumed", "ann");
    dueSince("resumed", "5 hours");
    desk.resume("resumed", "ann");
    sql("UPDATE holdfast.schedules SET updated_at = updated_at - interval '2 hours'");
    tickToTheEnd();
    assertThat(count("title = 'put'")).isEqualTo(2);
    assertThat(count("title = 'resumed'")).isEqualTo(2);
  }

  @Test
  @DisplayName("a day of an interval is 24 hours in whatever zone the session of SQL is")
  void daysOfAnInterval() {
    for (int days : new int[] {100, 200, 300}) {
      jdbi.useTransaction(
          handle -> {
            handle.execute("SET LOCAL timezone = 'Europe/Berlin'");
            handle.execute(
                "SELECT holdfast.put_schedule('days', 'ann', kind => 'work', every => make_interval"
                    + "(days => ?))",
                days);
          });
      Schedule put = find("days");
      assertThat(put.nextAt()).isEqualTo(put.anchorAt().plus(Duration.ofDays(days)));
    }
  }

  @Test
  @DisplayName("it does not stand still until a time that a clock which was ahead has come to")
  void clockWasAhead() {
    put("p", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("p", "61 minutes");
    tickToTheEnd();
    sql(
        "UPDATE holdfast.schedules SET last_at = last_at + interval '9 days', next_at = next_at +"
            + " interval '9 days', next_runs = NULL");
    tickToTheEnd();
    assertThat(find("p").nextAt()).isBefore(Instant.now().plus(Duration.ofHours(1)));
    assertThat(find("p").lastAt()).isNull();
    assertThat(count("true")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"put meanwhile", "missed times let go", "last ticket on hold"})
  @DisplayName(
      "nor one that made no ticket while the clock was ahead: put then, or without the missed, or"
          + " busy")
  void clockWasAheadOfNoTicket(String what) {
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    PostgresScheduleTicks moved = new PostgresScheduleTicks(pool, "holdfast", ahead::get);
    CatchUp catchUp = what.startsWith("missed") ? CatchUp.NONE : CatchUp.LAST;
    for (String cron : Arrays.asList(null, "0 * * * *")) {
      String name = cron == null ? "every" : "cron";
      put(name, cron, cron == null ? Duration.ofHours(1) : null, catchUp, Overlap.SKIP);
      if (what.startsWith("last")) {
        desk.run(name, "ann");
      }
    }
    ahead.set(Duration.ofDays(9));
    if (what.startsWith("put")) {
      sql(
          "UPDATE holdfast.schedules SET anchor_at = anchor_at + interval '216 hours', next_at ="
              + " next_at + interval '216 hours', next_runs = NULL, updated_at = updated_at +"
              + " interval '216 hours'");
    }
    assertThat(moved.tick(LONGEST)).isPositive();
    assertThat(find("cron").nextAt()).isAfter(Instant.now().plus(Duration.ofDays(8)));
    long made = count("true");
    ahead.set(Duration.ZERO);
    while (moved.tick(LONGEST).isZero()) {
      // until nothing is due
    }
    for (String name : List.of("every", "cron")) {
      assertThat(find(name).nextAt())
          .as(name)
          .isBetween(Instant.now(), Instant.now().plus(Duration.ofMinutes(61)));
    }
    assertThat(count("true")).isEqualTo(made);
  }

  @Test
  @DisplayName("nor beside one that is paused, and that no worker can read")
  void clockWasAheadBesideAnUnreadableOne() {
    sql(
        "SELECT holdfast.put_schedule('a', 'ann', every => interval '1 hour', kind => 'work', zone"
            + " => 'Mars/Phobos')");
    desk.pause("a", "ann");
    comesWithinAnHourAfterClockWasAhead(() -> {});
  }

  @Test
  @DisplayName("nor where somebody has its row locked just as the clock is right again")
  void lockedAsTheClockIsRight() {
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ofDays(9));
    ScheduleTicks moved = new PostgresScheduleTicks(pool, "holdfast", ahead::get);
    put("p", "0 * * * *", null, CatchUp.NONE, Overlap.ALLOW);
    moved.tick(LONGEST);
    ahead.set(Duration.ZERO);
    jdbi.useTransaction(
        handle -> {
          handle.execute("SELECT FROM holdfast.schedules FOR UPDATE");
          assertThat(moved.tick(LONGEST)).isPositive();
        });
    moved.tick(LONGEST);
    assertThat(find("p").nextAt()).isBefore(Instant.now().plus(Duration.ofMinutes(61)));
  }

  @Test
  @DisplayName("nor where the database fails just as its clock is right again")
  void databaseFailsAsItsClockIsRight() {
    sql("CREATE SEQUENCE updates");
    sql(
        "CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF"
            + " nextval('updates') = 1 THEN RAISE EXCEPTION 'gone' USING ERRCODE = '57P01'; END"
            + " IF; RETURN NEW; END $$");
    try {
      comesWithinAnHourAfterClockWasAhead(
          () ->
              sql(
                  "CREATE TRIGGER fail_once BEFORE UPDATE ON holdfast.schedules FOR EACH ROW"
                      + " EXECUTE FUNCTION fail_once()"));
      long updates =
          jdbi.withHandle(
              handle -> handle.select("SELECT last_value FROM updates").mapTo(long.class).one());
      assertThat(updates).isGreaterThan(1);
    } finally {
      sql("DROP FUNCTION fail_once CASCADE");
      sql("DROP SEQUENCE updates");
    }
  }

  private void comesWithinAnHourAfterClockWasAhead(Runnable asItIsRight) {
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ofDays(9));
    ScheduleTicks moved = new PostgresScheduleTicks(pool, "holdfast", ahead::get);
    put("p", "0 * * * *", null, CatchUp.NONE, Overlap.ALLOW);
    moved.tick(LONGEST);
    assertThat(find("p").nextAt()).isAfter(Instant.now().plus(Duration.ofDays(8)));
    asItIsRight.run();
    ahead.set(Duration.ZERO);
    for (int round = 0; round < 3; round++) {
      try {
        moved.tick(LONGEST);
      } catch (DatabaseUnavailableException | InvalidInputException e) {
        // as the loop has it: the next round comes
      }
    }
    assertThat(find("p").nextAt())
        .isBetween(Instant.now(), Instant.now().plus(Duration.ofMinutes(61)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "nor where it was put meanwhile and its worker started anew; a time given then stays")
  void putWhileTheClockWasAhead(boolean given) {
    Duration ahead = Duration.ofDays(9);
    put("p", "0 * * * *", null, CatchUp.LAST, Overlap.ALLOW);
    Instant next =
        Objects.requireNonNull(find("p").nextAt())
            .plus(ahead)
            .plus(Duration.ofDays(given ? 20 : 0));
    sql(
        "UPDATE holdfast.schedules SET next_runs = NULL, updated_at = updated_at + interval '216"
            + " hours', next_at = '"
            + next
            + "'");
    new PostgresScheduleTicks(pool, "holdfast", () -> ahead).tick(LONGEST);
    assertThat(find("p").nextAt()).isEqualTo(next);
    tickToTheEnd();
    if (given) {
      assertThat(find("p").nextAt()).isEqualTo(next);
    } else {
      assertThat(find("p").nextAt()).isBefore(Instant.now().plus(Duration.ofMinutes(61)));
    }
  }

  @Test
  @DisplayName("a time that somebody gave stays after the clock was ahead, though cron has it, too")
  void clockWasAheadOfAGivenTime() {
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ofHours(1));
    ScheduleTicks moved = new PostgresScheduleTicks(pool, "holdfast", ahead::get);
    put("p", "0 * * * *", null, CatchUp.LAST, Overlap.ALLOW);
    Instant given = Objects.requireNonNull(find("p").nextAt()).plus(Duration.ofDays(30));
    sql("UPDATE holdfast.schedules SET next_runs = NULL, next_at = '" + given + "'");
    moved.tick(LONGEST);
    ahead.set(Duration.ZERO);
    while (moved.tick(LONGEST).isZero()) {
      // until nothing is due
    }
    assertThat(find("p").nextAt()).isEqualTo(given);
  }

  @Test
  @DisplayName("what nobody foresaw ends no schedule: the loop looks again")
  void unforeseen() throws Exception {
    put("p", null, Duration.ofHours(1), CatchUp.LAST, Overlap.ALLOW);
    dueSince("p", "61 minutes");
    AtomicBoolean broken = new AtomicBoolean(true);
    BlockingQueue<Duration> rounds = new LinkedBlockingQueue<>();
    ScheduleTicks breaking =
        longest -> {
          if (broken.getAndSet(false)) {
            throw new IllegalStateException("nobody foresaw this");
          }
          return ticks.tick(longest);
        };
    try (ScheduleLoop loop = ScheduleLoop.start(breaking, rounds::put)) {
      assertThat(rounds.poll(30, TimeUnit.SECONDS)).isEqualTo(LONGEST);
      assertThat(rounds.poll(30, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(count("true")).isEqualTo(1);
  }

  /** As with a lock_timeout of the role. */
  private HikariConfig impatient() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(pool);
    config.setMaximumPoolSize(1);
    config.setConnectionInitSql("SET lock_timeout = '50ms'");
    return config;
  }

  @Test
  @DisplayName("what no ticket of a schedule gets is refused, and not left out without a word")
  void leftOut() {
    NewTicket job = NewTicket.ofKind("job");
    for (NewTicket ticket :
        List.of(
            job.withMaxCostUsd(BigDecimal.ONE),
            job.withConcurrencyKey("k"),
            job.withFairnessKey("k"),
            job.withAfter(List.of(7L)))) {
      NewSchedule schedule =
          new NewSchedule(
              "s", null, Duration.ofHours(1), "UTC", ticket, CatchUp.ALL, Overlap.ALLOW);
      assertThatThrownBy(() -> desk.put(schedule, "ann"))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith("a ticket of a schedule has ");
    }
    assertThat(desk.find("s")).isEmpty();
  }
}
