package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.Worker;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;

/** On a pool whose connections wait for a COMMIT; another connection looks what is stored. */
@WithDatabase
@EverySetup
@Timeout(120)
class TransactionsIT {
  /** As a server's connection that pgbouncer has lent to another worker before. */
  private static final String TAKE_NAMES =
      "DO $$BEGIN FOR i IN 1..100 LOOP BEGIN EXECUTE format('PREPARE \"S_%s\" AS SELECT 0', i);"
          + " EXCEPTION WHEN duplicate_prepared_statement THEN NULL; END; END LOOP; END$$";

  private final TestDatabase database;
  private final TestSql sql;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;
  private final TestTickets tickets;

  TransactionsIT(TestDatabase database) {
    this.database = database;
    this.sql = new TestSql(database.dataSource());
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setAutoCommit(false);
    config.setMaximumPoolSize(4);
    this.pool = new HikariDataSource(config);
    this.inbox = new PostgresTicketInbox(pool);
    this.desk = new PostgresTicketDesk(pool);
    this.tickets = new TestTickets(pool);
  }

  private long count(String kind) {
    return sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = ?", kind);
  }

  private String state(long id) {
    return String.valueOf(sql.value("SELECT state FROM holdfast.tickets WHERE id = ?", id));
  }

  @Test
  @DisplayName("with autocommit off, tickets are stored whichever way they come in")
  void inbox() {
    NewTicket ticket = NewTicket.ofKind("off-inbox");
    inbox.enqueue(ticket);
    assertThat(count("off-inbox")).describedAs("enqueue").isEqualTo(1);
    inbox.accept(ticket, "ann", new RequestKey("off", "request"));
    assertThat(count("off-inbox")).describedAs("accept").isEqualTo(2);
    inbox.enqueueAll(List.of(ticket).iterator());
    assertThat(count("off-inbox")).describedAs("enqueueAll").isEqualTo(3);
    inbox.enqueueBatch(List.of(ticket).iterator(), "ann", "title");
    assertThat(count("off-inbox")).describedAs("enqueueBatch").isEqualTo(4);
    inbox.enqueueGraph(List.of(new Named("one", ticket, List.of())));
    assertThat(count("off-inbox")).describedAs("enqueueGraph").isEqualTo(5);
    inbox.enqueueGraphAsBatch(List.of(new Named("one", ticket, List.of())), "ann", "title");
    assertThat(count("off-inbox")).describedAs("enqueueGraphAsBatch").isEqualTo(6);
  }

  @Test
  @DisplayName("with autocommit off, what people decide is stored")
  void desk() {
    long id = inbox.enqueue(NewTicket.ofKind("off-desk"));
    desk.hold(id, "ann", "look at it");
    assertThat(state(id)).isEqualTo("on_hold");
    desk.release(id, "ann", null, Retries.RESET);
    assertThat(state(id)).isEqualTo("ready");
    desk.cancel(id, "ann", null);
    assertThat(state(id)).isEqualTo("cancelled");
    inbox.enqueue(NewTicket.ofKind("off-desk").withQueue("off-desk"));
    desk.pauseQueue("off-desk", "ann");
    assertThat(
            sql.value("SELECT paused_at IS NOT NULL FROM holdfast.queues WHERE name = 'off-desk'"))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("with autocommit off, a failure and a rescue are stored")
  void failureAndRescue() {
    long failed = inbox.enqueue(NewTicket.ofKind("off-failed"));
    tickets.fail(failed, "off-failed", Category.CODE_ERROR, "first");
    assertThat(state(failed)).isEqualTo("ready");
    long lost = inbox.enqueue(NewTicket.ofKind("off-lost"));
    long lease = tickets.claim("off-lost");
    sql.run(
        "UPDATE holdfast.leases SET expires_at = now() - interval '1 second' WHERE id = ?", lease);
    assertThat(tickets.queue().rescue(10)).hasSize(1);
    assertThat(state(lost)).isEqualTo("ready");
  }

  @Test
  @DisplayName("with autocommit off, a worker's successes and failures are stored")
  void worker() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(2);
    long good = inbox.enqueue(NewTicket.ofKind("off-good"));
    long bad = inbox.enqueue(NewTicket.ofKind("off-bad"));
    try (Worker _ =
        Holdfast.worker(pool)
            .handler("off-good", ticket -> HandlerResult.done("{\"sent\": true}"))
            .handler(
                "off-bad",
                ticket -> {
                  throw new IllegalStateException("it broke");
                })
            .listener(
                event -> {
                  if (!(event instanceof TicketEvent.Claimed)) {
                    ended.countDown();
                  }
                })
            .start()) {
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(state(good)).isEqualTo("done");
    assertThat(sql.value("SELECT error FROM holdfast.tickets WHERE id = ?", bad))
        .contains("it broke");
  }

  @Test
  @DisplayName("with autocommit off, what fails leaves nothing, and connections stay as they were")
  void failure() throws SQLException {
    assertThatThrownBy(() -> desk.hold(Long.MAX_VALUE, "ann", "no such ticket"))
        .isInstanceOf(NotFoundException.class);
    List<NewTicket> good = List.of(NewTicket.ofKind("off-half"));
    assertThatThrownBy(
            () ->
                new Transactions(pool)
                    .runOnce(
                        own -> {
                          inbox.enqueueBatch(own, good.iterator(), "ann", null);
                          throw new SQLException("the second half fails");
                        }))
        .isInstanceOf(RuntimeException.class);
    assertThat(count("off-half")).isZero();
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.getAutoCommit()).isFalse();
      inbox.enqueue(connection, good.getFirst());
      connection.rollback();
    }
    assertThat(count("off-half")).isZero();
  }

  /** Lends this one connection, as a data source of a framework does within a transaction. */
  private static DataSource lending(Connection connection) {
    Connection lent =
        proxy(
            Connection.class,
            (self, method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
    return proxy(DataSource.class, (self, method, arguments) -> lent);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  @Test
  @DisplayName("a data source that lends a connection with an open transaction is refused in words")
  void openTransaction() throws SQLException {
    sql.run("CREATE TABLE off_orders (id int)");
    long id = inbox.enqueue(NewTicket.ofKind("off-open"));
    try (Connection connection = pool.getConnection()) {
      PostgresTicketInbox inside = new PostgresTicketInbox(lending(connection));
      List<ThrowingCallable> calls =
          List.of(
              () -> inside.enqueue(NewTicket.ofKind("off-open")),
              () -> inside.enqueueAll(List.of(NewTicket.ofKind("off-open")).iterator()),
              () -> Holdfast.reader(lending(connection)).find(id),
              () -> new PostgresTicketDesk(lending(connection)).hold(id, "ann", "look"));
      for (ThrowingCallable call : calls) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("INSERT INTO off_orders VALUES (1)");
        }
        assertThatThrownBy(call)
            .isInstanceOf(HoldfastException.class)
            .hasMessageContaining("in a transaction")
            .hasMessageContaining("enqueue(connection, ...)");
        connection.rollback();
      }
      assertThat(connection.getAutoCommit()).isFalse();
    }
    assertThat(sql.number("SELECT count(*) FROM off_orders")).isZero();
    assertThat(count("off-open")).isEqualTo(1);
  }

  /**
   * As the data source of a transaction manager (Quarkus, Jakarta EE) does within a transaction.
   */
  private static DataSource managing(Connection connection) throws SQLException {
    Connection lent = lending(connection).getConnection();
    Connection managed =
        proxy(
            Connection.class,
            (self, method, arguments) -> {
              if (method.getName().equals("setAutoCommit")) {
                throw new SQLException("autocommit of a connection taking part of a transaction");
              }
              return method.invoke(lent, arguments);
            });
    return proxy(DataSource.class, (self, method, arguments) -> managed);
  }

  @Test
  @DisplayName(
      "a connection in a transaction manager's transaction is refused in the same words before it"
          + " has written anything: that is no outage")
  void managedTransaction() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      assertThatThrownBy(
              () ->
                  new PostgresTicketInbox(managing(connection))
                      .enqueue(NewTicket.ofKind("off-managed")))
          .isNotInstanceOf(DatabaseUnavailableException.class)
          .isInstanceOf(HoldfastException.class)
          .hasMessageContaining("in a transaction")
          .hasMessageContaining("enqueue(connection, ...)")
          .hasRootCauseMessage("autocommit of a connection taking part of a transaction");
      connection.rollback();
    }
    assertThat(count("off-managed")).isZero();
  }

  @Test
  @DisplayName(
      "a connection with autocommit off of which a pool has tried whether it lives is taken")
  void triedConnection() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.isValid(5)).isTrue();
      new PostgresTicketInbox(lending(connection)).enqueue(NewTicket.ofKind("off-tried"));
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT 1");
      }
      new PostgresTicketInbox(lending(connection)).enqueue(NewTicket.ofKind("off-tried"));
      assertThat(connection.getAutoCommit()).isFalse();
    }
    assertThat(count("off-tried")).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "under another isolation, work sees what is committed, and connections stay as they were")
  void isolation() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      new Transactions(lending(connection))
          .runOnce(
              own ->
                  assertThat(TestSql.column(own, "SHOW transaction_isolation"))
                      .containsExactly("read committed"));
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
      connection.rollback();
    }
  }

  @Test
  @DisplayName(
      "a session that the pool opens later may have another isolation than its first, as after an"
          + " ALTER ROLE")
  void isolationOfLater() throws SQLException {
    try (Connection first = database.dataSource().getConnection();
        Connection later = database.dataSource().getConnection()) {
      later.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      Iterator<Connection> opened = List.of(first, later, later, first).iterator();
      DataSource source =
          proxy(
              DataSource.class,
              (self, method, arguments) -> lending(opened.next()).getConnection());
      Transactions transactions = new Transactions(source);
      while (opened.hasNext()) {
        transactions.runOnce(
            own ->
                assertThat(TestSql.column(own, "SHOW transaction_isolation"))
                    .containsExactly("read committed"));
      }
      assertThat(first.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
      assertThat(later.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
    }
  }

  @Test
  @DisplayName(
      "an interrupted thread gives its connection back as any other, and stays interrupted")
  void interrupted() throws SQLException {
    List<Boolean> flags = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection()) {
      Connection lent =
          proxy(
              Connection.class,
              (self, method, arguments) ->
                  method.getName().equals("close")
                      ? flags.add(Thread.currentThread().isInterrupted())
                      : method.invoke(connection, arguments));
      DataSource source = proxy(DataSource.class, (self, method, arguments) -> lent);
      Thread.currentThread().interrupt();
      new PostgresTicketInbox(source).enqueue(NewTicket.ofKind("off-interrupted"));
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(flags).isNotEmpty().containsOnly(false);
  }

  /** Each statement is prepared on the server at its first use. */
  private HikariDataSource preparing(int connections, String first) {
    String url = database.jdbcUrl();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + "prepareThreshold=1");
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(connections);
    config.setConnectionInitSql(first);
    return new HikariDataSource(config);
  }

  private static void execute(DataSource pool, String statement) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement plain = connection.createStatement()) {
      plain.execute(statement);
    }
  }

  private static int pid(Handle handle) {
    return handle.createQuery("SELECT pg_backend_pid()").mapTo(Integer.class).one();
  }

  @Test
  @DisplayName("a connection whose prepared statements clash is replaced, and the work done again")
  void clash() throws SQLException {
    try (HikariDataSource preparing = preparing(1, "SELECT 1")) {
      Transactions transactions = new Transactions(preparing);
      execute(preparing, TAKE_NAMES);
      assertThat(transactions.runStatement(TransactionsIT::pid)).isPositive();
      execute(preparing, TAKE_NAMES);
      assertThat(transactions.run(TransactionsIT::pid)).isPositive();
      execute(preparing, TAKE_NAMES);
      assertThat(
              transactions.<Boolean>runCall(
                  own -> own.prepareStatement("SELECT 1").executeQuery().next()))
          .isTrue();
    }
  }

  @Test
  @DisplayName("work whose prepared statement is gone, or of an old form, is done again")
  void gone() throws SQLException {
    sql.run("CREATE TABLE altered (it int)");
    sql.run("INSERT INTO altered VALUES (1)");
    try (HikariDataSource preparing = preparing(1, "SELECT 1")) {
      Transactions transactions = new Transactions(preparing);
      Function<Handle, String> read =
          handle ->
              pid(handle) + handle.createQuery("SELECT * FROM altered").mapTo(String.class).one();
      assertThat(transactions.run(read)).endsWith("1");
      // In a DO block, so that the driver does not hear of it.
      execute(preparing, "DO $$BEGIN EXECUTE 'DEALLOCATE ALL'; END$$");
      assertThat(transactions.run(read)).endsWith("1");
      assertThat(transactions.run(read)).endsWith("1");
      sql.run("ALTER TABLE altered ALTER it TYPE text USING 'one'");
      assertThat(transactions.run(read)).endsWith("one");
    } finally {
      sql.run("DROP TABLE altered");
    }
  }

  @Test
  @DisplayName("where prepared statements clash again and again, the error names the settings")
  void clashForEver() {
    try (HikariDataSource preparing = preparing(1, TAKE_NAMES)) {
      assertThatThrownBy(() -> new Transactions(preparing).run(TransactionsIT::pid))
          .isInstanceOf(StatementRefusedException.class)
          .hasMessageContaining("already exists")
          .hasMessageContaining("max_prepared_statements")
          .hasMessageContaining("prepareThreshold=0");
    }
  }

  @Test
  @DisplayName("behind a pooler no statement gets a name on the server, nor does a COMMIT")
  void pooler() throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setUsername(database.user());
    config.setPassword(database.password());
    behindPooler(config);
  }

  @Test
  @DisplayName("nor where a data source writes the driver's own threshold into its URL")
  void poolerOfDataSource() throws SQLException {
    PGSimpleDataSource own = new PGSimpleDataSource();
    own.setUrl(database.jdbcUrl());
    own.setUser(database.user());
    own.setPassword(database.password());
    HikariConfig config = new HikariConfig();
    config.setDataSource(own);
    behindPooler(config);
  }

  private static void behindPooler(HikariConfig config) throws SQLException {
    config.setMaximumPoolSize(1);
    try (HikariDataSource one = new HikariDataSource(config)) {
      Transactions transactions = new Transactions(one);
      try (Connection connection = one.getConnection()) {
        // As pgbouncer does, whose clients get a process number of its own.
        ((QueryExecutorBase) connection.unwrap(PgConnection.class).getQueryExecutor())
            .setBackendKeyData(1, new byte[4]);
      }
      for (int i = 0; i < 10; i++) {
        transactions.run(TransactionsIT::pid);
      }
      Function<Handle, String> named =
          handle ->
              handle
                  .createQuery("SELECT count(*) FROM pg_prepared_statements")
                  .mapTo(String.class)
                  .one();
      assertThat(transactions.runStatement(named)).isEqualTo("0");
    }
  }

  @Test
  // One of the two connections listens.
  @DisplayName("a success whose prepared statement clashes is stored as a success")
  void storedResult() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    long id = inbox.enqueue(NewTicket.ofKind("off-clash"));
    try (HikariDataSource preparing = preparing(2, "SELECT 1");
        Worker _ =
            Holdfast.worker(preparing)
                .handler(
                    "off-clash",
                    ticket -> {
                      execute(preparing, TAKE_NAMES);
                      return HandlerResult.done("{\"sent\": true}");
                    })
                .listener(
                    event -> {
                      if (!(event instanceof TicketEvent.Claimed)) {
                        ended.countDown();
                      }
                    })
                .start()) {
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(state(id)).isEqualTo("done");
  }
}
