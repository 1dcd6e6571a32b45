package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class FiguresIT {
  private static final String COUNT = "SELECT holdfast.roll_up_figures('0')";

  private final HikariDataSource pool;
  private final TicketDatabase database;
  private final TestQueue queue;

  FiguresIT(TestDatabase database) {
    this.pool = new TicketDatabase(database).pool(4);
    this.database = new TicketDatabase(pool);
    this.queue = TestQueue.on(this.database);
  }

  @BeforeEach
  void nothingCounted() {
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases,"
            + " holdfast.ticket_attempts, holdfast.ticket_activity, holdfast.session_journal,"
            + " holdfast.ticket_figures, holdfast.model_figures");
    countedUntil("now()");
  }

  @AfterEach
  void close() {
    pool.close();
  }

  private void countedUntil(String time) {
    database.run(
        "UPDATE holdfast.figures_cursor SET next_at = '-infinity', counted_until = " + time);
  }

  private void count() {
    database.run("UPDATE holdfast.figures_cursor SET next_at = '-infinity'");
    database.run(COUNT);
  }

  private long figure(int span, String event, String category) {
    return database.number(
        "SELECT COALESCE(sum(n), 0) FROM holdfast.ticket_figures"
            + " WHERE span_minutes = ? AND event = ? AND category = ?",
        span,
        event,
        category);
  }

  /** Attempts that ended this long ago, one each second. */
  private void attempts(int count, String ago) {
    database.run(
        """
        INSERT INTO holdfast.ticket_attempts
          (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
        SELECT ?, nextval('holdfast.lease_no_seq'), now() - ?::interval,
          now() - ?::interval + n * interval '1 second', n, 'succeeded', 'w'
        FROM generate_series(1, ?) n
        """,
        queue.enqueue(),
        ago,
        ago,
        count);
  }

  @Test
  @DisplayName("what happened is counted once, in each span, however often somebody counts")
  void once() {
    for (int i = 0; i < 3; i++) {
      queue.succeed(queue.enqueue(), queue.claim());
    }
    long held = queue.enqueue();
    queue.fail(held, queue.claim(), Category.SYSTEM_ERROR);
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", held);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", held);
    for (int i = 0; i < 3; i++) {
      count();
    }
    for (int span : List.of(1, 15, 120)) {
      assertThat(figure(span, "succeeded", "")).isEqualTo(3);
      assertThat(figure(span, "failed", "system_error")).isEqualTo(1);
      assertThat(figure(span, "held", "")).isEqualTo(1);
      assertThat(figure(span, "released", "")).isEqualTo(1);
    }
    queue.succeed(held, queue.claim());
    count();
    assertThat(figure(15, "succeeded", "")).isEqualTo(4);
  }

  @Test
  @DisplayName("what happens after the server's clock was ahead is counted once it is right")
  void clockWasAhead() {
    database.run(
        "UPDATE holdfast.figures_cursor SET next_at = now() + interval '9 days', counted_until ="
            + " now() + interval '9 days'");
    database.run(
        "INSERT INTO holdfast.webhook_cursors (name, activity_id, updated_at) VALUES"
            + " ('noted:reviews', 0, now() + interval '9 days') ON CONFLICT (name) DO UPDATE SET"
            + " updated_at = EXCLUDED.updated_at");
    queue.succeed(queue.enqueue(), queue.claim());
    database.run(COUNT);
    assertThat(figure(1, "succeeded", "")).isEqualTo(1);
    database.number("SELECT holdfast.note_reviews()");
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.webhook_cursors WHERE name = 'noted:reviews' AND"
                    + " updated_at > now()"))
        .isZero();
  }

  @Test
  @DisplayName("a hold that the retry policy decided is counted as one made by a person is")
  void heldByPolicy() {
    long id = queue.enqueue();
    while (!database.state(id).equals("on_hold")) {
      queue.fail(id, queue.claim(), Category.CODE_ERROR);
      if (!database.state(id).equals("on_hold")) {
        queue.makeDue(id);
      }
    }
    count();
    assertThat(figure(1, "held", "")).isEqualTo(1);
    assertThat(figure(1, "failed", "code_error"))
        .isEqualTo(database.number("SELECT attempt_count FROM holdfast.tickets WHERE id = ?", id));
  }

  @Test
  @DisplayName("two processes at once count once; the next count waits for its time")
  void atOnce() throws Exception {
    attempts(500, "10 minutes");
    countedUntil("now() - interval '10 minutes'");
    AtOnce.run(
        List.of(
            () -> database.value(COUNT),
            () -> database.value(COUNT),
            () -> database.value(COUNT),
            () -> database.value(COUNT)));
    assertThat(figure(1, "succeeded", "")).isEqualTo(500);
    attempts(5, "1 second");
    assertThat(database.value(COUNT)).isEqualTo("00:00:15");
    assertThat(figure(1, "succeeded", "")).isEqualTo(500);
  }

  @Test
  @DisplayName("after a day without a worker it catches up in steps of a quarter of an hour")
  void day() {
    attempts(100, "25 hours");
    attempts(100, "2 hours");
    countedUntil("now() - interval '25 hours'");
    count();
    assertThat(figure(15, "succeeded", "")).isEqualTo(100);
    assertThat(
            database.value(
                "SELECT counted_until < now() - interval '24.7 hours' FROM"
                    + " holdfast.figures_cursor"))
        .isEqualTo("t");
    int steps = 1;
    String behind =
        "SELECT counted_until < now() - interval '1 minute' FROM holdfast.figures_cursor";
    while (database.value(behind).equals("t")) {
      count();
      steps++;
    }
    assertThat(steps).isBetween(100, 101);
    assertThat(figure(15, "succeeded", "")).isEqualTo(200);
    assertThat(figure(120, "succeeded", "")).isEqualTo(200);
  }

  @Test
  @DisplayName("what is older than eight days is not counted, and does not hold up the rest")
  void month() {
    attempts(7, "20 days");
    attempts(3, "191 hours");
    countedUntil("now() - interval '30 days'");
    for (int i = 0; i < 6; i++) {
      count();
    }
    assertThat(figure(120, "succeeded", "")).isEqualTo(3);
  }

  @Test
  @DisplayName("what is committed late is not missed: counting waits for whoever writes")
  void late() throws Exception {
    long id = queue.enqueue();
    long lease = queue.claim();
    try (Connection late = pool.getConnection();
        Statement statement = late.createStatement()) {
      late.setAutoCommit(false);
      statement.execute(
          "SELECT holdfast.store_successes(ARRAY["
              + id
              + "], ARRAY["
              + lease
              + "], ARRAY['done'], ARRAY['1'], '{}')");
      queue.succeed(queue.enqueue(), queue.claim());
      count();
      assertThat(figure(1, "succeeded", "")).isZero();
      late.commit();
    }
    count();
    assertThat(figure(1, "succeeded", "")).isEqualTo(2);
  }

  @Test
  @DisplayName("answers of models are counted by model and design with tokens and cost")
  void models() {
    long id = queue.enqueue();
    String answer =
        "{\"target\": {\"provider\": \"p\", \"model\": \"m\"}, \"costUsd\": 0.25, \"usage\":"
            + " {\"input\": 100, \"output\": 7, \"cacheRead\": 20, \"cacheWrite\": 3}}";
    for (int seq = 1; seq <= 2; seq++) {
      database.run(
          "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES"
              + " (?, ?, 1, 'answered', ?::jsonb)",
          id,
          seq,
          answer);
      count();
    }
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES"
            + " (?, 3, 1, 'discarded', ?::jsonb || '{\"unanswered\": true}')",
        id,
        answer);
    count();
    assertThat(
            database.rows(
                "SELECT provider, model, design, answers, tokens_in, tokens_out, cost_usd"
                    + " FROM holdfast.model_figures WHERE span_minutes = 120"))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("provider", "p")
                    .containsEntry("answers", "2")
                    .containsEntry("tokens_in", "369")
                    .containsEntry("tokens_out", "21")
                    .containsEntry("cost_usd", "0.75"));
  }

  @Test
  @DisplayName("a provider that tells of absurd tokens or a long name does not stop the count")
  void absurd() {
    long id = queue.enqueue();
    queue.claim();
    String most = "{\"input\": 9223372036854775807, \"output\": 9223372036854775807,";
    for (int seq = 1; seq <= 2; seq++) {
      database.run(
          "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry)"
              + " SELECT ?, ?, 1, 'answered', jsonb_build_object('target',"
              + " jsonb_build_object('provider', 'p', 'model', string_agg(md5(n::text), '')),"
              + " 'usage', ?::jsonb) FROM generate_series(1, 300) n",
          id,
          seq,
          most + " \"cacheRead\": 9223372036854775807, \"cacheWrite\": 0}");
    }
    queue.succeed(queue.enqueue(), queue.claim());
    count();
    assertThat(figure(1, "succeeded", "")).isEqualTo(1);
    assertThat(
            database.number(
                "SELECT tokens_in FROM holdfast.model_figures WHERE span_minutes = 120"))
        .isEqualTo(2_000_000_000_000L);
  }

  @Test
  @DisplayName("figures go after their time, the finest first")
  void retention() {
    database.run(
        "INSERT INTO holdfast.ticket_figures SELECT now() - a, 1, s, 'q', '', 'succeeded', ''"
            + " FROM unnest(ARRAY['2 hours', '4 hours', '4 days', '91 days']::interval[]) a,"
            + " unnest(ARRAY[1, 15, 120]) s");
    count();
    assertThat(
            database.column(
                "SELECT span_minutes || ' ' || count(*) FROM holdfast.ticket_figures"
                    + " GROUP BY span_minutes ORDER BY span_minutes"))
        .containsExactly("1 1", "15 2", "120 3");
  }
}
