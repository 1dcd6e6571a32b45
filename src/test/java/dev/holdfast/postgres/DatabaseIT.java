package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@Order(1) // it waits long
class DatabaseIT {
  private final Database database;

  DatabaseIT(TestDatabase testDatabase) {
    this.database =
        new Database(
                testDatabase.jdbcUrl(),
                testDatabase.user(),
                testDatabase.password(),
                2,
                "desk-test")
            .withPoolSize(2);
  }

  @Test
  @DisplayName("the pool connects with our settings, and COPY works through it")
  void pool() {
    try (HikariDataSource pool = database.open()) {
      TestSql sql = new TestSql(pool);
      assertThat(sql.value("SHOW application_name")).isEqualTo("desk-test");
      assertThat(sql.value("SHOW transaction_isolation")).isEqualTo("read committed");
      assertThat(sql.value("SHOW default_transaction_isolation")).isEqualTo("read committed");
      List<NewTicket> tickets = List.of(NewTicket.ofKind("pool"), NewTicket.ofKind("pool"));
      assertThat(new PostgresTicketInbox(pool).enqueueAll(tickets.iterator())).isEqualTo(2);
      assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'pool'"))
          .isEqualTo(2);
    }
  }

  @Test
  @DisplayName(
      "of two hosts the second is taken where the first accepts connections and says nothing")
  void frozenHost() throws Exception {
    try (ServerSocket frozen = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        HikariDataSource pool = behind(frozen).open()) {
      List<DataSource> all = List.of(behind(frozen).unpooled(), behind(frozen).listening(), pool);
      List<Callable<Boolean>> answers = all.stream().map(DatabaseIT::answer).toList();
      assertThat(AtOnce.run(answers)).containsOnly(true);
    }
  }

  private static Callable<Boolean> answer(DataSource dataSource) {
    return () -> {
      try (Connection connection = dataSource.getConnection()) {
        return connection.isValid(5);
      }
    };
  }

  private Database behind(ServerSocket first) {
    // For ten seconds the driver remembers a server that refused another test.
    String both =
        database.url().replaceFirst("//", "//127.0.0.1:" + first.getLocalPort() + ",")
            + (database.url().contains("?") ? "&" : "?")
            + "hostRecheckSeconds=0";
    return new Database(both, database.user(), database.password(), 2, "two-hosts");
  }

  @Test
  @DisplayName("a closed pool leaves no thread behind")
  void closed() throws Exception {
    Thread keeper;
    try (HikariDataSource pool = database.withApplicationName("closed-pool").open()) {
      assertThat(new TestSql(pool).number("SELECT 1")).isEqualTo(1);
      keeper =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().equals("closed-pool:keeper"))
              .findFirst()
              .orElseThrow();
    }
    assertThat(keeper.join(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  @DisplayName(
      "a pool does not keep the sessions that could only read, once the server can write: of five"
          + " one fails a call")
  void readOnly() throws Exception {
    String settings = "ALTER DATABASE " + database.url().replaceAll(".*/|\\?.*", "");
    try (HikariDataSource people = database.open();
        HikariDataSource pool = database.withPoolSize(5).open()) {
      TestSql person = new TestSql(people);
      person.run(
          "BEGIN READ WRITE; " + settings + " SET default_transaction_read_only = on; COMMIT");
      fill(pool);
      person.run("BEGIN READ WRITE; " + settings + " RESET default_transaction_read_only; COMMIT");
      PostgresTicketInbox inbox = new PostgresTicketInbox(pool);
      assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind("read-only")))
          .isInstanceOf(DatabaseUnavailableException.class)
          .hasMessageContaining("read-only transaction");

      assertThat(inbox.enqueue(NewTicket.ofKind("read-only"))).isPositive();
    }
  }

  /** Each is taken before one is given back. */
  private static void fill(HikariDataSource pool) throws SQLException {
    List<Connection> taken = new ArrayList<>();
    while (taken.size() < pool.getMaximumPoolSize()) {
      taken.add(pool.getConnection());
    }
    for (Connection each : taken) {
      each.close();
    }
  }

  @Test
  @DisplayName("outside the pool every connection is a new one")
  void unpooled() throws Exception {
    try (Connection first = database.unpooled().getConnection();
        Connection second = database.unpooled().getConnection()) {
      assertThat(TestSql.column(first, "SELECT pg_backend_pid()"))
          .isNotEqualTo(TestSql.column(second, "SELECT pg_backend_pid()"));
      assertThat(TestSql.column(first, "SHOW application_name")).containsExactly("desk-test");
    }
    assertThat(database.unpooled().getLoginTimeout())
        .as("of what takes the connection and says nothing, nobody waits for ever")
        .isPositive();
  }

  @Test
  @DisplayName("an unreachable database shows at first use, in one line that names what to check")
  void unreachable() {
    try (HikariDataSource pool = Database.of("postgres://u:s3cret@127.0.0.1:1/none").open()) {
      assertThatThrownBy(() -> new PostgresTicketReader(pool).list(TicketFilter.all(1)))
          .isInstanceOf(DatabaseUnavailableException.class)
          .hasMessageStartingWith("cannot reach the database: Connection to 127.0.0.1:1 refused.")
          .hasMessageContaining("check HOLDFAST_DATABASE_URL")
          .extracting(Throwable::getMessage)
          .satisfies(text -> assertThat(text).hasLineCount(1).doesNotContain("s3cret"));
    }
  }

  @Test
  @DisplayName(
      "a connection lost while it is used suspects no password: what was asked may be done")
  void lost() {
    Database impatient =
        new Database(
            database.url() + "?socketTimeout=1",
            database.user(),
            database.password(),
            1,
            "desk-test");
    Transactions transactions = new Transactions(impatient.unpooled());
    assertThatThrownBy(
            () -> transactions.runStatement(handle -> handle.execute("SELECT pg_sleep(4)")))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageStartingWith(
            "the connection to the database was lost, and what was asked of it may be done all the"
                + " same: no answer in time (")
        .hasMessageNotContaining("PASSWORD");
  }

  @Test
  @DisplayName("where no host is a primary that lets us in, no password is suspected")
  void noPrimary() {
    Database replica =
        new Database(
            database.url() + "?targetServerType=secondary",
            database.user(),
            database.password(),
            1,
            "desk-test");
    assertThatThrownBy(() -> new PostgresTicketReader(replica.unpooled()).find(1))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageStartingWith("none of the database's hosts is a primary that lets us in: ")
        .hasMessageEndingWith("Could not find a server with specified targetServerType: secondary")
        .hasMessageNotContaining("PASSWORD");
  }

  @Test
  @DisplayName("a targetServerType that the driver does not know is no primary that is missing")
  void unknownTarget() {
    Database database = Database.of("jdbc:postgresql://127.0.0.1:1/none?targetServerType=master1");
    assertThatThrownBy(() -> new PostgresTicketReader(database.unpooled()).find(1))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageStartingWith(
            "cannot reach the database: Invalid targetServerType value: master1; check"
                + " HOLDFAST_DATABASE_URL");
  }

  @Test
  @DisplayName("a database that is not there is told apart from one that cannot be reached")
  void unknownDatabase() {
    String url = database.url().replaceFirst("/[^/]+$", "/no_such_database");
    Database other = new Database(url, database.user(), database.password(), 1, "desk-test");
    try (HikariDataSource pool = other.open()) {
      assertThatThrownBy(() -> new PostgresTicketDesk(pool).approve(1, "ann"))
          .isInstanceOf(DatabaseUnavailableException.class)
          .hasMessageContaining("database \"no_such_database\" does not exist")
          .hasMessageContaining("check HOLDFAST_DATABASE_URL");
    }
  }

  @Test
  @DisplayName("a pool whose connections are all in use says so, and not that the database is gone")
  void exhausted() throws Exception {
    try (HikariDataSource pool = database.withPoolSize(1).open()) {
      pool.setConnectionTimeout(250);
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isValid(1)).isTrue();
        assertThatThrownBy(() -> new PostgresTicketInbox(pool).enqueue(NewTicket.ofKind("k")))
            .isInstanceOf(DatabaseUnavailableException.class)
            .hasMessageContaining("no database connection became free in time");
      }
    }
  }

  @Test
  @DisplayName("a server that lets no more connections in is not called unreachable")
  void full() throws Exception {
    String user = "one_at_a_time_" + System.nanoTime();
    TestSql sql = new TestSql(database.unpooled());
    sql.run("CREATE ROLE " + user + " LOGIN PASSWORD 'p' CONNECTION LIMIT 1");
    Database limited = new Database(database.url(), user, "p", 1, "desk-test");
    try (Connection taken = limited.unpooled().getConnection();
        HikariDataSource pool = limited.open()) {
      assertThat(taken.isValid(1)).isTrue();
      pool.setConnectionTimeout(250);
      for (DataSource next : List.of(pool, limited.unpooled())) {
        assertThatThrownBy(() -> new PostgresTicketInbox(next).enqueue(NewTicket.ofKind("k")))
            .isInstanceOf(DatabaseUnavailableException.class)
            .hasMessageContainingAll("too many connections for role", "CONNECTION LIMIT")
            .hasMessageNotContaining("HOLDFAST_DATABASE_URL");
      }
    } finally {
      sql.run("DROP ROLE " + user);
    }
  }

  @Test
  @DisplayName("each new connection, of a pool or not, takes the password that holds then")
  void renewed() throws SQLException {
    Database old = new Database(database.url(), database.user(), "of last week", 1, "renewed-test");
    Database renewed = old.withPasswordFrom(database::password);
    for (DataSource each : List.of(renewed.unpooled(), renewed.listening())) {
      each.getConnection().close();
    }
    try (HikariDataSource pool = renewed.withPoolSize(2).open()) {
      pool.getConnection().close();
    }
    assertThatThrownBy(old.unpooled()::getConnection).hasMessageContaining("password");
  }
}
