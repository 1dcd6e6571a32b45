package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.postgres.SingleConnection;
import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@WithDatabase
@EverySetup
class NotificationsIT {
  private final TestSql sql;
  private final TestTickets tickets;
  private Connection listening;

  NotificationsIT(TestDatabase database) throws SQLException {
    this.sql = new TestSql(database.dataSource());
    this.tickets = new TestTickets(database.dataSource());
    this.listening = database.dataSource().getConnection();
  }

  @BeforeEach
  void listen() throws SQLException {
    sql.run(
        """
        INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state, wants_wakeup)
        VALUES ('sleeper', 'h', 1, 'test', '{}', 1, 'running', true)
        ON CONFLICT (id) DO UPDATE SET wants_wakeup = true
        """);
    TestSql.column(listening, "LISTEN holdfast_ready");
    TestSql.column(listening, "LISTEN holdfast_revoked");
  }

  @AfterEach
  void close() throws SQLException {
    listening.close();
  }

  /** Everything up to now: notifications come in the order of their commits. */
  private List<String> heard() throws SQLException {
    sql.run("SELECT pg_notify('holdfast_ready', '(end)')");
    List<String> heard = new ArrayList<>();
    while (true) {
      PGNotification[] notifications =
          listening.unwrap(PGConnection.class).getNotifications(10_000);
      assertThat(notifications).describedAs("the last notification").isNotEmpty();
      for (PGNotification notification : notifications) {
        if (notification.getParameter().equals("(end)")) {
          return heard;
        }
        heard.add(
            notification.getName().substring("holdfast_".length())
                + " "
                + notification.getParameter());
      }
    }
  }

  @Test
  @DisplayName("one NOTIFY per transaction and queue, with the queue's name only")
  void oncePerQueue() throws SQLException {
    try (Connection connection = sql.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        TestSql.column(connection, "SELECT holdfast.enqueue_ticket(kind => 'k', queue => 'one')");
        TestSql.column(
            connection, "INSERT INTO holdfast.tickets (kind, queue) VALUES ('k', 'two')");
      }
      connection.commit();
    }
    assertThat(heard()).containsExactlyInAnyOrder("ready one", "ready two");
  }

  @Test
  @DisplayName("A42: no NOTIFY for a ticket that starts later, nor for one for a person")
  void notForLater() throws SQLException {
    sql.run("SELECT holdfast.enqueue_ticket(kind => 'k', run_at => now() + interval '1 minute')");
    sql.run("INSERT INTO holdfast.tickets (kind, assignee_type) VALUES ('k', 'human')");
    sql.run(
        "INSERT INTO holdfast.tickets (kind, retry_after) VALUES ('k', now() + interval '1 day')");
    assertThat(heard()).isEmpty();
  }

  @Test
  @DisplayName("no NOTIFY while no worker waits for one")
  void nobodySleeps() throws SQLException {
    sql.run("UPDATE holdfast.workers SET wants_wakeup = false");
    sql.run("SELECT holdfast.enqueue_ticket(kind => 'k')");
    assertThat(heard()).isEmpty();
  }

  @Test
  @DisplayName("A4: a hand-written UPDATE that releases a ticket wakes a worker")
  void releaseByUpdate() throws SQLException {
    long id = tickets.in(TicketState.ON_HOLD);
    heard();
    sql.run("UPDATE holdfast.tickets SET state = 'ready' WHERE id = ?", id);
    assertThat(heard()).containsExactly("ready desk");
  }

  @Test
  @DisplayName("resuming a queue wakes a worker")
  void resume() throws SQLException {
    sql.run("INSERT INTO holdfast.queues (name) VALUES ('later')");
    sql.run("SELECT holdfast.pause_queue('later', 'pat')");
    assertThat(heard()).isEmpty();
    sql.run("SELECT holdfast.resume_queue('later', 'pat')");
    assertThat(heard()).containsExactly("ready later");
  }

  @Test
  @DisplayName("A58: cancelling a running ticket tells the workers to look at their leases")
  void revoked() throws SQLException {
    long id = tickets.in(TicketState.IN_PROGRESS);
    heard();
    sql.run("SELECT holdfast.cancel_ticket(?, 'carl')", id);
    assertThat(heard()).containsExactly("revoked ");
  }

  @Test
  @DisplayName("a rolled back transaction notifies nobody")
  void rolledBack() throws SQLException {
    try (Connection connection = sql.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      TestSql.column(connection, "SELECT holdfast.enqueue_ticket(kind => 'k')");
      connection.rollback();
    }
    assertThat(heard()).isEmpty();
  }

  @Test
  @DisplayName("who listens works in READ COMMITTED, and gives the connection back as it was")
  void givenBack() throws SQLException {
    try (SingleConnection single = new SingleConnection(sql.dataSource())) {
      Connection lent = single.getConnection();
      lent.setNetworkTimeout(Runnable::run, 7_000);
      lent.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      lent.setAutoCommit(false);
      PostgresWakeUps wakeUps =
          new PostgresWakeUps(keptBy(lent), sql.dataSource(), "holdfast", () -> {});
      wakeUps.start(new Deaf());
      await().until(wakeUps::proven);
      assertThat(lent.getNetworkTimeout()).isNotEqualTo(7_000);
      assertThat(lent.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
      wakeUps.close();
      await().until(() -> !lent.getAutoCommit());
      assertThat(lent.getNetworkTimeout()).isEqualTo(7_000);
      assertThat(lent.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
    }
  }

  @Test
  @DisplayName(
      "a connection on which listening failed, as for want of a second one, is given back as it"
          + " was: nobody would take its notifications")
  void givenBackAfterFailure() throws Exception {
    try (Connection lent = sql.dataSource().getConnection()) {
      int timeout = lent.getNetworkTimeout();
      CountDownLatch failed = new CountDownLatch(2);
      DataSource full =
          proxy(
              DataSource.class,
              (self, method, arguments) -> {
                failed.countDown();
                throw new SQLException("no connection is free");
              });
      PostgresWakeUps wakeUps = new PostgresWakeUps(keptBy(lent), full, "holdfast", () -> {});
      wakeUps.start(new Deaf());
      assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
      wakeUps.close();
      await().until(() -> lent.getNetworkTimeout() == timeout);
      await().until(() -> TestSql.column(lent, "SELECT pg_listening_channels()").isEmpty());
    }
  }

  @Test
  @DisplayName("a data source that throws what it likes does not keep the listener from its end")
  void closesAll() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    try (SingleConnection single = new SingleConnection(sql.dataSource())) {
      Connection lent = single.getConnection();
      int timeout = lent.getNetworkTimeout();
      DataSource own =
          proxy(
              DataSource.class,
              (self, method, arguments) -> {
                if (broken.get()) {
                  throw new IllegalStateException("no token could be fetched");
                }
                return sql.dataSource().getConnection();
              });
      PostgresWakeUps wakeUps = new PostgresWakeUps(keptBy(lent), own, "holdfast", () -> {});
      wakeUps.start(new Deaf());
      await().until(wakeUps::proven);
      broken.set(true);
      wakeUps.close();
      await().until(() -> lent.getNetworkTimeout() == timeout);
    }
  }

  private static final class Deaf implements WakeUps.Listener {
    @Override
    public void ready(String queue, TicketClaims here) {}

    @Override
    public void revoked() {}
  }

  /** Lends this one connection, and leaves it as it is when it comes back. */
  private static DataSource keptBy(Connection connection) {
    Connection lent =
        proxy(
            Connection.class,
            (self, method, arguments) -> {
              try {
                return method.getName().equals("close")
                    ? null
                    : method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return proxy(DataSource.class, (self, method, arguments) -> lent);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }
}
