package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.Holdfast;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * What a ticket costs the database, in numbers that no machine changes. All tickets are held at the
 * same time before any is done, so that the batches are as large under load as they can be.
 */
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(Resources.GLOBAL)
class EngineCostIT {
  private static final int TICKETS = 5_000;
  private static final String PAYLOAD = "{\"task\": \"" + "x".repeat(180) + "\"}";

  /** What the server has counted so far. */
  private record Counts(
      long updates,
      long hotUpdates,
      long attempts,
      long leases,
      long commits,
      long statements,
      long walBytes) {
    Counts minus(Counts before) {
      return new Counts(
          updates - before.updates,
          hotUpdates - before.hotUpdates,
          attempts - before.attempts,
          leases - before.leases,
          commits - before.commits,
          statements - before.statements,
          walBytes - before.walBytes);
    }
  }

  private TestDatabase database;
  private Counts cost;

  @BeforeAll
  void drain(TestDatabase given) throws Exception {
    database = given;
    execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public");
    Holdfast.desk(database.dataSource()).pauseQueue("cost", "test");
    NewTicket ticket = NewTicket.ofKind("cost").withQueue("cost").withPayload(PAYLOAD);
    Holdfast.inbox(database.dataSource())
        .enqueueAll(IntStream.range(0, TICKETS).mapToObj(i -> ticket).iterator());
    execute("VACUUM (ANALYZE)");
    Counts before = counts();
    work();
    cost = counts().minus(before);
  }

  private void work() throws InterruptedException {
    CountDownLatch allClaimed = new CountDownLatch(TICKETS);
    CountDownLatch allStored = new CountDownLatch(TICKETS);
    Database pooled =
        new Database(database.jdbcUrl(), database.user(), database.password(), 5, "cost");
    try (ConnectionPool pool = pooled.pool();
        Worker worker =
            Holdfast.worker(pool.dataSource())
                .listenOn(database.dataSource())
                .concurrency(TICKETS)
                .handler(
                    "cost",
                    context -> {
                      allClaimed.countDown();
                      allClaimed.await();
                      return HandlerResult.done(null);
                    })
                .listener(
                    event -> {
                      if (event instanceof TicketEvent.Succeeded) {
                        allStored.countDown();
                      }
                    })
                .start()) {
      Holdfast.desk(database.dataSource()).resumeQueue("cost", "test");
      assertThat(allStored.await(2, TimeUnit.MINUTES)).as("all tickets are done").isTrue();
    }
    // A session's counts are published when it ends.
    Awaitility.await("published counts")
        .atMost(30, TimeUnit.SECONDS)
        .until(
            () ->
                number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cost'")
                    == 0);
  }

  private Counts counts() {
    String table =
        "(SELECT %s FROM pg_stat_user_tables WHERE schemaname = 'holdfast' AND relname = '%s')";
    return new Counts(
        number("SELECT " + table.formatted("n_tup_upd", "ticket_base")),
        number("SELECT " + table.formatted("n_tup_hot_upd", "ticket_base")),
        number("SELECT " + table.formatted("n_tup_ins", "ticket_attempts")),
        number("SELECT " + table.formatted("n_tup_ins", "leases")),
        number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"),
        number(statements("sum(calls)")),
        number(statements("sum(wal_bytes)")));
  }

  private static String statements(String what) {
    return "SELECT "
        + what
        + "::bigint FROM public.pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE"
        + " datname = current_database())";
  }

  private long number(String sql) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  @DisplayName("a ticket's row is written once after its enqueue, and that update is HOT")
  void hotUpdates() {
    assertThat(cost.updates()).as("%s", cost).isEqualTo(TICKETS);
    assertThat(cost.hotUpdates()).as("%s", cost).isGreaterThanOrEqualTo(TICKETS * 95 / 100);
  }

  @Test
  @DisplayName("each execution inserts one attempt row, each claimed batch one lease row")
  void attemptsAndLeases() {
    assertThat(cost.attempts()).as("%s", cost).isEqualTo(TICKETS);
    assertThat(cost.leases()).as("%s", cost).isLessThanOrEqualTo(TICKETS / 500 + 2);
  }

  @Test
  @DisplayName("a hundred tickets and more share a commit and a statement")
  void commitsAndStatements() {
    assertThat(cost.commits()).as("%s", cost).isLessThan(TICKETS / 50);
    assertThat(cost.statements()).as("%s", cost).isLessThan(TICKETS / 25);
  }

  @Test
  @DisplayName("a ticket's claim and completion write at most 900 bytes of WAL")
  void writeAheadLog() throws SQLException {
    assumeThat(number("SELECT (current_setting('full_page_writes') = 'off')::int"))
        .as("with full_page_writes the bytes depend on when checkpoints fall")
        .isEqualTo(1);
    assertThat(cost.walBytes() / TICKETS).as("%s", cost).isBetween(300L, 900L);
  }
}
