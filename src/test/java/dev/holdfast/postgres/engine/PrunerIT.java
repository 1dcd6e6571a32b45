package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.holdfast.queue.Retention;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class PrunerIT {
  private static final Duration DAY = Duration.ofDays(1);

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresTicketPruner pruner;

  PrunerIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.pruner = new PostgresTicketPruner(database.dataSource(), "holdfast");
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    database.run("DELETE FROM holdfast.workers");
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases,"
            + " holdfast.ticket_attempts");
  }

  private long old(String state) {
    return old(state, 1).getFirst();
  }

  private List<Long> old(String state, int count) {
    return database
        .column(
            "INSERT INTO holdfast.tickets (kind, state, completed_at) SELECT ?, ?,"
                + " now() - interval '2 days' FROM generate_series(1, ?) RETURNING id",
            queue.kind(),
            state,
            count)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  private List<Long> kept() {
    return database.column("SELECT id FROM holdfast.ticket_base ORDER BY id").stream()
        .map(Long::valueOf)
        .toList();
  }

  @Test
  @DisplayName("only done and cancelled tickets past their time go; held or in review never")
  void states() {
    long ready = old("ready");
    long held = old("on_hold");
    long review = old("needs_review");
    old("done");
    old("cancelled");
    long young =
        database.number(
            "INSERT INTO holdfast.tickets (kind, state, completed_at) VALUES (?, 'done',"
                + " now() - interval '23 hours') RETURNING id",
            queue.kind());

    assertThat(pruner.prune(new Retention(DAY, DAY, DAY), 100)).isEqualTo(2);
    assertThat(kept()).containsExactly(ready, held, review, young);
  }

  @Test
  @DisplayName("notes of results for review go after 31 days; what people did to no ticket stays")
  void notes() {
    database.run(
        "INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, created_at) SELECT NULL,"
            + " a, 'notes', now() - d * interval '1 day' FROM unnest(ARRAY['results_to_review',"
            + " 'queue_paused']) a, unnest(ARRAY[30, 32]) d");

    pruner.prune(new Retention(DAY, DAY, DAY), 100);

    assertThat(
            database.column(
                "DELETE FROM holdfast.ticket_activity WHERE actor = 'notes'"
                    + " RETURNING action || (now()::date - created_at::date)"))
        .containsExactlyInAnyOrder("results_to_review30", "queue_paused30", "queue_paused32");
  }

  @Test
  @DisplayName("a result that waited long for its review is kept from its approval on")
  void approvedLate() {
    long late = old("needs_review");
    long early = old("needs_review");
    database.run(
        "SELECT holdfast.approve_ticket(id, 'ann') FROM unnest(ARRAY[?, ?]::bigint[]) AS u (id)",
        late,
        early);
    database.run(
        "UPDATE holdfast.ticket_activity SET created_at = now() - interval '2 days' WHERE ticket_id"
            + " = ?",
        early);
    assertThat(pruner.prune(new Retention(DAY, DAY, DAY), 100)).isEqualTo(1);
    assertThat(kept()).containsExactly(late);
  }

  @Test
  @DisplayName("one that was taken over without the time of its end goes by its last change")
  void endNotKnown() {
    long over = old("done");
    long gone = old("cancelled");
    long young = old("done");
    database.run("UPDATE holdfast.ticket_base SET completed_at = NULL");
    database.run(
        "UPDATE holdfast.ticket_base SET updated_at = now() - interval '2 days' WHERE id IN (?, ?)",
        over,
        gone);

    assertThat(pruner.prune(new Retention(DAY, DAY, DAY), 100)).isEqualTo(2);
    assertThat(kept()).containsExactly(young);
  }

  @Test
  @DisplayName("zero keeps them for ever, each state by its own time")
  void zero() {
    long done = old("done");
    long cancelled = old("cancelled");

    assertThat(pruner.prune(new Retention(Duration.ZERO, Duration.ZERO, Duration.ZERO), 100))
        .isZero();
    assertThat(kept()).containsExactly(done, cancelled);
    assertThat(pruner.prune(new Retention(Duration.ZERO, DAY, Duration.ZERO), 100)).isEqualTo(1);
    assertThat(kept()).containsExactly(done);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "DEFERRABLE INITIALLY DEFERRED", "ON DELETE RESTRICT"})
  @DisplayName("what a person's own table refers to stays, and everything else goes")
  void referred(String rule) {
    List<Long> old = old("done", 300);
    database.run("UPDATE holdfast.ticket_base SET created_at = now() - interval '3 days'");
    long young = queue.enqueue();
    List<Long> referred = List.of(old.getFirst(), old.get(137), old.get(138), old.getLast());
    database.run(
        "CREATE TABLE public.orders (ticket_id bigint REFERENCES holdfast.ticket_base (id) "
            + rule
            + ")");
    try (LogLines log = new LogLines(PostgresTicketPruner.class)) {
      referred.forEach(id -> database.run("INSERT INTO public.orders VALUES (?)", id));
      PostgresTicketPruner small = new PostgresTicketPruner(database.dataSource(), "holdfast", 100);

      assertThat(small.prune(new Retention(DAY, DAY, DAY), 1000)).isEqualTo(296);
      assertThat(small.prune(new Retention(DAY, DAY, DAY), 1000)).isZero();
      assertThat(kept())
          .containsExactlyElementsOf(Stream.concat(referred.stream(), Stream.of(young)).toList());
      assertThat(log.of(Level.WARN))
          .singleElement()
          .asString()
          .contains("" + referred.getFirst(), "orders");
    } finally {
      database.run("DROP TABLE public.orders");
    }
    assertThat(pruner.prune(new Retention(DAY, DAY, DAY), 1000)).isEqualTo(4);
  }

  @Test
  @DisplayName("attempts, activity and guidance of a pruned ticket go with it, others' stay")
  void belongings() {
    long gone = queue.enqueue();
    queue.succeed(gone, queue.claim());
    database.run("SELECT holdfast.reject_ticket(?, 'ann', 'again')", gone);
    queue.succeed(gone, queue.claim());
    database.run("SELECT holdfast.approve_ticket(?, 'ann')", gone);
    database.run(
        "UPDATE holdfast.ticket_base SET completed_at = now() - interval '2 days' WHERE id = ?",
        gone);
    database.run(
        "UPDATE holdfast.ticket_activity SET created_at = now() - interval '2 days' WHERE ticket_id"
            + " = ?",
        gone);
    long kept = queue.enqueue();
    queue.succeed(kept, queue.claim());
    session(gone);
    session(kept);

    assertThat(pruner.prune(new Retention(DAY, DAY, DAY), 100)).isEqualTo(1);
    for (String table :
        List.of(
            "ticket_attempts",
            "ticket_activity",
            "ticket_guidance",
            "session_journal",
            "session_events",
            "retry_aborts")) {
      assertThat(database.column("SELECT DISTINCT ticket_id FROM holdfast." + table))
          .doesNotContain(String.valueOf(gone));
    }
    assertThat(database.outcomes(kept)).hasSize(1);
    for (String table : List.of("session_journal", "session_events", "retry_aborts")) {
      assertThat(database.column("SELECT ticket_id FROM holdfast." + table))
          .containsExactly(String.valueOf(kept));
    }
  }

  /** Rows of an age and a lease that no session makes here; their contents are nobody's matter. */
  private void session(long id) {
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry)"
            + " VALUES (?, 1, 1, 'said', '{}')",
        id);
    database.run(
        "INSERT INTO holdfast.session_events (ticket_id, lease_no, event, details)"
            + " VALUES (?, 1, 'log', '{}')",
        id);
    database.run(
        "INSERT INTO holdfast.retry_aborts (ticket_id, lease_no, requested_by) VALUES (?, 1, 'a')",
        id);
  }

  @Test
  @DisplayName("no more than the limit at once, and several may prune at the same time")
  void limit() throws Exception {
    for (int i = 0; i < 10; i++) {
      old("done");
    }
    Retention retention = new Retention(DAY, DAY, DAY);

    List<Integer> counts =
        AtOnce.run(() -> pruner.prune(retention, 4), () -> pruner.prune(retention, 4));

    assertThat(counts.get(0) + counts.get(1)).isEqualTo(10 - kept().size()).isBetween(4, 8);
  }

  @Test
  @DisplayName(
      "goes on where the limit stopped it, and not again through all that is kept; then from the"
          + " start")
  void goesOn() {
    database.run("DELETE FROM holdfast.ticket_base");
    PostgresTicketPruner small = new PostgresTicketPruner(database.dataSource(), "holdfast", 10);
    Retention retention = new Retention(DAY, Duration.ZERO, DAY);
    List<Long> young = old("done", 20);
    database.run("UPDATE holdfast.ticket_base SET completed_at = now()");
    old("done", 15);
    database.run("UPDATE holdfast.ticket_base SET created_at = now() - interval '3 days'");
    assertThat(small.prune(retention, 10)).isEqualTo(10);

    database.run(
        "UPDATE holdfast.ticket_base SET completed_at = now() - interval '2 days' WHERE id = "
            + young.getFirst());

    assertThat(small.prune(retention, 10)).isEqualTo(5);
    assertThat(kept()).isEqualTo(young);
    assertThat(small.prune(retention, 10)).isOne();
  }

  @Test
  @DisplayName("a result stays whose follower is enqueued while old tickets are looked for")
  void followedMeanwhile() throws Exception {
    long first = old("done");
    // Kept, and looked at before those that are followed.
    database.run(
        "INSERT INTO holdfast.ticket_base (filed, kind, state, completed_at) SELECT true, ?,"
            + " 'done', now() - interval '2 days' FROM generate_series(1, 30000)",
        queue.kind());
    database.run(
        "INSERT INTO holdfast.ticket_activity (ticket_id, action, actor) SELECT id, 'approved',"
            + " 'followed' FROM holdfast.ticket_base WHERE id > ?",
        first);
    for (int i = 0; i < 3; i++) {
      long followed = old("done");
      followWhilePruning(followed);
      assertThat(
              database.number("SELECT count(*) FROM holdfast.ticket_base WHERE id = ?", followed))
          .isOne();
    }
    database.run("DELETE FROM holdfast.ticket_activity WHERE actor = 'followed'");
  }

  /** Commits when the search has begun. */
  private void followWhilePruning(long ticket) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT holdfast.enqueue_ticket(kind => '%s', after => '{%s}', after_names => '{a}')"
              .formatted(queue.kind(), ticket));
      CompletableFuture<Integer> pruning =
          CompletableFuture.supplyAsync(
              () -> inPagesOf(40_000).prune(new Retention(DAY, DAY, DAY), 100));
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> pruning.isDone() || isSearching());
      connection.commit();
      pruning.join();
    }
  }

  private boolean isSearching() {
    return database.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND state = 'active' AND backend_xmin IS NOT NULL"
                + " AND query LIKE '%WITH page AS%' AND pid <> pg_backend_pid()")
        > 0;
  }

  @Test
  @DisplayName("old tickets that are kept do not hide those behind them")
  void pages() {
    for (int i = 0; i < 7; i++) {
      old("on_hold");
    }
    old("done");
    old("on_hold");
    old("cancelled");
    database.run("UPDATE holdfast.ticket_base SET created_at = now() - interval '3 days'");
    long young = queue.enqueue();

    assertThat(inPagesOf(3).prune(new Retention(DAY, DAY, DAY), 100)).isEqualTo(2);
    assertThat(kept()).hasSize(9).endsWith(young);
  }

  @Test
  @DisplayName("a page of young tickets ends the search: none behind it can be older")
  void young() {
    queue.enqueue(3);
    // No ticket is finished before it is made; this one only shows where the search ends.
    long beyond = old("done");
    Retention retention = new Retention(DAY, DAY, DAY);

    assertThat(inPagesOf(3).prune(retention, 100)).isZero();
    assertThat(kept()).endsWith(beyond);
    assertThat(inPagesOf(4).prune(retention, 100)).isEqualTo(1);
  }

  @Test
  @DisplayName("the limit holds across pages")
  void limitAcrossPages() {
    for (int i = 0; i < 10; i++) {
      old("done");
    }
    database.run("UPDATE holdfast.ticket_base SET created_at = now() - interval '3 days'");

    assertThat(inPagesOf(3).prune(new Retention(DAY, DAY, DAY), 7)).isEqualTo(7);
    assertThat(kept()).hasSize(3);
    assertThat(inPagesOf(3).prune(new Retention(DAY, DAY, DAY), 7)).isEqualTo(3);
  }

  private PostgresTicketPruner inPagesOf(int tickets) {
    return new PostgresTicketPruner(database.dataSource(), "holdfast", tickets);
  }

  @Test
  @DisplayName("workers long silent are forgotten, living ones are not")
  void workers() {
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state,"
            + " heartbeat_at) VALUES ('old', 'h', 1, 'v', '{}', 1, 'stopped', now() - interval '2"
            + " days'), ('new', 'h', 1, 'v', '{}', 1, 'running', now())");

    pruner.prune(new Retention(DAY, DAY, Duration.ZERO), 1);
    assertThat(database.column("SELECT id FROM holdfast.workers")).contains("old", "new");
    pruner.prune(new Retention(DAY, DAY, DAY), 1);
    assertThat(database.column("SELECT id FROM holdfast.workers")).containsExactly("new");
  }

  /** The statements that docs/scaling.md shows, without the end of the transaction. */
  private static String deletionOfQueues() throws IOException {
    String page = Files.readString(Path.of("docs/scaling.md"));
    String block = page.substring(page.indexOf("```sql\nBEGIN;\n") + 14);
    return block.substring(0, block.indexOf("COMMIT;"));
  }

  @Test
  @DisplayName("what the page on scaling says deletes queues without tickets, and loses no ticket")
  void unusedQueues() throws Exception {
    database.run("INSERT INTO holdfast.queues (name, retry) VALUES ('with-retry', '{}')");
    for (String name : List.of("unused", "paused", "filling", "again")) {
      database.run("SELECT holdfast.know_lane(?, ?)", name, queue.kind());
    }
    database.run("SELECT holdfast.pause_queue('paused', 'ann')");
    database.run("UPDATE holdfast.queues SET created_at = now() - interval '2 days'");
    String enqueue = "SELECT holdfast.enqueue_ticket('" + queue.kind() + "', queue => '%s')";
    try (Connection deleting = database.dataSource().getConnection();
        Connection filling = database.dataSource().getConnection();
        Connection later = database.dataSource().getConnection();
        ExecutorService others = Executors.newVirtualThreadPerTaskExecutor()) {
      deleting.setAutoCommit(false);
      filling.setAutoCommit(false);
      execute(filling, enqueue.formatted("filling"));
      Future<?> deletion = others.submit(() -> execute(deleting, deletionOfQueues()));
      awaitWaiting();
      filling.commit();
      deletion.get();
      Future<?> enqueued = others.submit(() -> execute(later, enqueue.formatted("again")));
      awaitWaiting();
      deleting.commit();
      enqueued.get();
    }
    assertThat(database.column("SELECT name FROM holdfast.queues ORDER BY 1"))
        .contains("again", "filling", "paused", "with-retry")
        .doesNotContain("unused");
    assertThat(
            database.column(
                "SELECT b.queue FROM holdfast.take_tickets(ARRAY[?], '{}', 10, 'w', 60000, '{}',"
                    + " 65536, 1000000, 0) t JOIN holdfast.ticket_base b ON b.id = t.id ORDER BY 1",
                queue.kind()))
        .containsExactly("again", "filling");
  }

  private static boolean execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(sql);
    }
  }

  private void awaitWaiting() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                database.number(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND wait_event_type = 'Lock'")
                    > 0);
  }
}
