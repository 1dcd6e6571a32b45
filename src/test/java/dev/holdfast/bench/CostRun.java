package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One execution of many tickets, and what it costs the database, in numbers that no machine
 * changes. All tickets are held at the same time before any is done, so that the batches are as
 * large under load as they can be. In a database of its own.
 *
 * @param result of each execution
 * @param stored the event that tells of it
 */
record CostRun(
    TestDatabase database,
    int tickets,
    Supplier<HandlerResult> result,
    Class<? extends TicketEvent> stored) {
  private static final String PAYLOAD = "{\"task\": \"" + "x".repeat(180) + "\"}";

  /** What the server has counted so far. */
  record Counts(
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

  /**
   * Sessions of their own: one that tests share is made as new for each, which would count here.
   */
  private DataSource plain() {
    PGSimpleDataSource plain = new PGSimpleDataSource();
    plain.setUrl(database.jdbcUrl());
    plain.setUser(database.user());
    plain.setPassword(database.password());
    return plain;
  }

  /** Fills the database and works all of it. */
  Counts measure() throws SQLException, InterruptedException {
    execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public");
    execute("INSERT INTO holdfast.queues (name) VALUES ('cost') ON CONFLICT DO NOTHING");
    Holdfast.desk(plain()).pauseQueue("cost", "test");
    NewTicket ticket = NewTicket.ofKind("cost").withQueue("cost").withPayload(PAYLOAD);
    Holdfast.inbox(plain())
        .enqueueAll(IntStream.range(0, tickets).mapToObj(i -> ticket).iterator());
    execute("VACUUM (ANALYZE)");
    // The server keeps a bounded number of statements: full of those of other databases, it forgets
    // some of this one in mid-run, and the sum falls.
    execute("SELECT public.pg_stat_statements_reset()");
    Counts before = counts();
    work();
    return counts().minus(before);
  }

  private void work() throws InterruptedException {
    CountDownLatch allClaimed = new CountDownLatch(tickets);
    CountDownLatch allStored = new CountDownLatch(tickets);
    Database pooled =
        new Database(database.jdbcUrl(), database.user(), database.password(), 5, "cost");
    try (ConnectionPool pool = pooled.pool();
        Worker worker =
            Holdfast.worker(pool.dataSource())
                .listenOn(plain())
                .concurrency(tickets)
                .handler(
                    "cost",
                    context -> {
                      allClaimed.countDown();
                      allClaimed.await();
                      return result.get();
                    })
                .listener(
                    event -> {
                      if (stored.isInstance(event)) {
                        allStored.countDown();
                      }
                    })
                .start()) {
      Holdfast.desk(plain()).resumeQueue("cost", "test");
      assertThat(allStored.await(2, TimeUnit.MINUTES)).as("all results are stored").isTrue();
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

  /** Of the statements of this database. */
  static String statements(String what) {
    return "SELECT "
        + what
        + "::bigint FROM public.pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE"
        + " datname = current_database())";
  }

  long number(String sql) {
    try (Connection connection = plain().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = plain().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
