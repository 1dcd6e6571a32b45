package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@WithDatabase
@EverySetup
class MigrationsIT {
  private final TestDatabase database;
  private final DataSource dataSource;
  private final TestSql sql;

  MigrationsIT(TestDatabase database) {
    this.database = database;
    this.dataSource = database.dataSource();
    this.sql = new TestSql(dataSource);
  }

  @BeforeEach
  void startEmpty() {
    sql.run("DROP SCHEMA IF EXISTS holdfast CASCADE");
    sql.run("DROP SCHEMA IF EXISTS elsewhere CASCADE");
  }

  @Test
  @DisplayName(
      "A59: an empty database is migrated, and again does nothing; an application's own"
          + " db/migrations on the class path are not taken for ours")
  void freshAndTwice() throws IOException {
    assertThat(getClass().getResource("/db/migrations/V1__users.sql")).isNotNull();
    int all;
    try (Stream<Path> files = Files.list(Path.of("db/migrations"))) {
      all = (int) files.count();
    }
    assertThat(Migrations.migrate(dataSource))
        .isEqualTo(new Migrations.Result(all, "" + Migrations.NEWEST));
    assertThat(Migrations.migrate(dataSource))
        .isEqualTo(new Migrations.Result(0, "" + Migrations.NEWEST));
    assertThatCode(() -> Migrations.requireCurrent(dataSource, "holdfast"))
        .doesNotThrowAnyException();
    assertThat(sql.value("SELECT to_regclass('holdfast.users')")).isNull();
    // Flyway, which counts as we do, was not even started.
    assertThat(
            SchemaHistory.read(dataSource, new Sql("holdfast"))
                .isComplete(
                    MigrationFiles.versionedChecksums(), MigrationFiles.checksums("holdfast")))
        .isTrue();
    queueDefaultIsThere();
  }

  /** The queue of who names none is no misspelt one, though no ticket has been in it. */
  private void queueDefaultIsThere() {
    sql.run("SELECT holdfast.resume_queue('default', 'ann')");
    sql.run("SELECT holdfast.set_limit('queue:default', 'ann', concurrent => 2)");
    sql.run("SELECT holdfast.pause_queue('default', 'ann')");
    assertThat(sql.value("SELECT paused FROM holdfast.queue_health")).isEqualTo("t");
    assertThatThrownBy(() -> sql.run("SELECT holdfast.pause_queue('defualt', 'ann')"))
        .hasStackTraceContaining("there is no queue \"defualt\"");
    assertThatThrownBy(() -> sql.run("SELECT holdfast.resume_queue(NULL, 'ann')"))
        .hasStackTraceContaining("there is no queue");
  }

  @Test
  @DisplayName(
      "A59: two processes that migrate at once do not disturb each other; a thread whose class"
          + " loader does not know Holdfast migrates, too")
  void concurrently() throws Exception {
    Callable<Migrations.Result> migrate =
        () -> {
          // As in a servlet container's common pool, or in a plug-in.
          Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
          return Migrations.migrate(dataSource);
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var result : threads.invokeAll(List.of(migrate, migrate, migrate))) {
        assertThat(result.get().version()).isEqualTo("" + Migrations.NEWEST);
      }
    }
    Migrations.requireCurrent(dataSource, "holdfast");
  }

  @Test
  @DisplayName(
      "A59: a migration that dies between a file and its line in the history has left nothing of"
          + " the file, and is done by the next")
  void diesBeforeItsLine() {
    sql.run("CREATE SCHEMA holdfast");
    sql.run(
        """
        CREATE TABLE holdfast.flyway_schema_history (
          installed_rank integer PRIMARY KEY, version varchar(50),
          description varchar(200) NOT NULL, type varchar(20) NOT NULL,
          script varchar(1000) NOT NULL, checksum integer, installed_by varchar(100) NOT NULL,
          installed_on timestamp NOT NULL DEFAULT now(), execution_time integer NOT NULL,
          success boolean NOT NULL)
        """);
    sql.run(
        """
        CREATE FUNCTION holdfast.die() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$
        """);
    sql.run(
        """
        CREATE CONSTRAINT TRIGGER dies AFTER INSERT ON holdfast.flyway_schema_history
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.version = '3')
        EXECUTE FUNCTION holdfast.die()
        """);
    assertThatThrownBy(() -> Migrations.migrate(dataSource)).isInstanceOf(HoldfastException.class);
    sql.run("DROP TRIGGER dies ON holdfast.flyway_schema_history");
    Migrations.migrate(dataSource);
    Migrations.requireCurrent(dataSource, "holdfast");
  }

  @Test
  @DisplayName("the program knows the newest version and the repeatable migrations of the files")
  void knowsItsFiles() throws IOException {
    List<String> versioned;
    List<String> repeatable;
    try (Stream<Path> files = Files.list(Path.of("db/migrations"))) {
      List<String> names = files.map(file -> file.getFileName().toString()).sorted().toList();
      versioned = names.stream().filter(name -> name.startsWith("V")).toList();
      repeatable = names.stream().filter(name -> !name.startsWith("V")).toList();
    }
    assertThat(MigrationFiles.VERSIONED).containsExactlyInAnyOrderElementsOf(versioned);
    for (int version = 1; version <= Migrations.NEWEST; version++) {
      assertThat(MigrationFiles.VERSIONED.get(version - 1)).startsWith("V" + version + "__");
    }
    assertThat(versioned).hasSize(Migrations.NEWEST);
    assertThat(MigrationFiles.REPEATABLE).isEqualTo(repeatable);
  }

  @Test
  @DisplayName(
      "a repeatable migration runs again with each version, and leaves nothing to everybody")
  void repeatablesHaveTheirLines() throws IOException {
    for (String file : MigrationFiles.REPEATABLE) {
      String text = Files.readString(Path.of("db/migrations").resolve(file));
      assertThat(text).as(file).contains("${version}");
      assertThat(text).as(file).doesNotContainPattern("(?m)^CREATE (FUNCTION|VIEW|TRIGGER)");
      if (text.contains("CREATE OR REPLACE FUNCTION") || text.contains("CREATE OR REPLACE VIEW")) {
        assertThat(text)
            .as(file)
            .endsWith(
                file.equals("R__1_roles.sql")
                    ? "\nSELECT grant_roles();\n"
                    : "\nSELECT grant_roles(only_new => true);\n");
      }
    }
  }

  @Test
  @DisplayName("A59, A66, T3: a legacy table's rows come over, naive times are read as UTC")
  void legacyTable() {
    sql.run("CREATE SCHEMA holdfast");
    sql.run(
        """
        CREATE TABLE holdfast.tickets (
          id text PRIMARY KEY, title text, state text, assignee_type text, priority text, vm_id text,
          retry_count integer, rejection_count integer, error text, hold_reason text,
          created_at timestamp, updated_at timestamp, completed_at timestamp)
        """);
    sql.run(
        """
        INSERT INTO holdfast.tickets VALUES
          ('7', 'waits', 'ready', 'agent', 'medium', NULL, NULL, 0, NULL, NULL, '2025-01-02 03:04:05.678', NULL, NULL),
          ('ab-12', 'ran', 'in_progress', 'agent', '5', 'vm-1', 2, 1, 'HTTP 503', NULL, '2025-01-02 03:04:06', NULL, NULL),
          ('9', 'held', 'on_hold', NULL, NULL, NULL, 3, 0, 'boom', 'Max retries exceeded: unknown',
            '2025-01-02 03:04:07', '2025-02-03 04:05:06', NULL),
          ('10', 'odd', 'blocked', 'agent', NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL),
          ('007', 'over', 'cancelled', 'human', NULL, NULL, 0, 0, NULL, NULL, '2025-01-02', '2025-01-03', '2025-01-03 12:00')
        """);
    Migrations.migrate(dataSource);
    String rows =
        """
        SELECT concat_ws('|', title, CASE WHEN unique_key IS NULL THEN id END, unique_key, state, assignee_type, priority,
          retry_count, rejection_count, error, hold_reason, to_char(created_at AT TIME ZONE 'UTC', 'HH24:MI:SS.MS'),
          held_at AT TIME ZONE 'UTC')
        FROM holdfast.tickets WHERE title <> 'odd' ORDER BY title
        """;
    assertThat(sql.column(rows))
        .containsExactly(
            "held|9|on_hold|0|3|0|boom|Max retries exceeded: unknown|03:04:07.000|2025-02-03"
                + " 04:05:06",
            "over|007|cancelled|human|0|0|0|00:00:00.000",
            "ran|ab-12|ready|agent|5|2|1|HTTP 503|03:04:06.000",
            "waits|7|ready|agent|0|0|0|03:04:05.678");
    assertThat(sql.value("SELECT hold_reason FROM holdfast.tickets WHERE title = 'odd'"))
        .isEqualTo("Its state before Holdfast is not known here: blocked");
    assertThat(
            sql.value(
                "SELECT payload -> 'legacy' ->> 'vm_id' FROM holdfast.tickets WHERE title = 'ran'"))
        .isEqualTo("vm-1");
    assertThat(
            sql.column(
                "SELECT title FROM holdfast.ready JOIN holdfast.tickets USING (id) ORDER BY 1"))
        .containsExactly("ran", "waits");
    assertThat(sql.number("SELECT holdfast.enqueue_ticket(kind => 'new')")).isGreaterThan(10);
    assertThat(sql.number("SELECT count(*) FROM holdfast.legacy_tickets")).isEqualTo(5);
    assertThat(Migrations.migrate(dataSource).applied()).isZero();
  }

  @Test
  @DisplayName(
      "A59: a legacy table with numeric ids, the retry columns and a designs table comes over; a"
          + " schema of another name works from the first migration to the last read")
  void legacyTableWithRetryColumnsInOtherSchema() {
    sql.run("CREATE SCHEMA elsewhere");
    sql.run("CREATE TABLE elsewhere.designs (id serial PRIMARY KEY, name text, definition jsonb)");
    sql.run(
        """
        CREATE TABLE elsewhere.tickets (
          id serial PRIMARY KEY, design_id integer REFERENCES elsewhere.designs, kind text, queue text, payload jsonb,
          state text, priority integer, retry_count integer DEFAULT 0,
          retry_after timestamp, retry_strategy jsonb, created_at timestamptz DEFAULT now())
        """);
    sql.run("INSERT INTO elsewhere.designs (name) VALUES ('old')");
    sql.run(
        """
        INSERT INTO elsewhere.tickets (design_id, kind, queue, payload, state, priority, retry_after, retry_strategy)
        VALUES (1, 'build', 'ci', '{"a": 1}', 'ready', 3, '2199-01-02 03:04:05', '{"maxRetries": 3}'),
          (1, 'two words', 'no such name!', '[1]', 'ready', 3, NULL, NULL)
        """);
    Migrations.migrate(dataSource, "elsewhere");
    assertThat(
            sql.column(
                """
                SELECT concat_ws('|', id, kind, queue, payload ->> 'a', priority, assignee_type, retry_strategy,
                  retry_after AT TIME ZONE 'UTC')
                FROM elsewhere.tickets ORDER BY id
                """))
        .containsExactly(
            "1|build|ci|1|3|agent|{\"maxRetries\": 3}|2199-01-02 03:04:05",
            "2|legacy|default|3|agent");
    assertThat(sql.number("SELECT count(*) FROM elsewhere.deferred")).isOne();
    assertThat(sql.number("SELECT count(*) FROM elsewhere.legacy_designs")).isOne();
    PostgresTicketInbox inbox = new PostgresTicketInbox(dataSource, "elsewhere", 1000);
    long id = inbox.enqueue(NewTicket.ofKind("k"));
    assertThat(inbox.enqueueAll(List.of(NewTicket.ofKind("k").withUniqueKey("u")).iterator()))
        .isOne();
    PostgresTicketDesk desk = new PostgresTicketDesk(dataSource, "elsewhere");
    desk.hold(id, "hal", "wait");
    PostgresTicketReader reader = new PostgresTicketReader(dataSource, "elsewhere");
    assertThat(reader.list(TicketFilter.all(10))).hasSize(4);
    assertThat(reader.timeline(id)).hasSize(2);
    assertThat(sql.value("SELECT obj_description('elsewhere.release_ticket'::regproc, 'pg_proc')"))
        .contains("SELECT elsewhere.release_ticket(17");
    assertThatThrownBy(() -> Migrations.requireCurrent(dataSource, "holdfast"))
        .hasMessage("the database has no schema holdfast yet; run: holdfast migrate");
  }

  @Test
  @DisplayName("a migration that fails says what the database said, and the next step")
  void failingMigration() {
    sql.run("CREATE SCHEMA IF NOT EXISTS taken");
    sql.run("CREATE TABLE taken.queues (a integer)");
    assertThatThrownBy(() -> Migrations.migrate(dataSource, "taken"))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith("the migration failed: ")
        .hasMessageContaining("relation \"queues\" already exists")
        .hasMessageEndingWith("; remove this cause and run: holdfast migrate")
        .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1));
  }

  @Test
  @DisplayName("without the schema, every port says: holdfast migrate")
  void noSchema() {
    assertThatThrownBy(() -> new PostgresTicketReader(dataSource).list(TicketFilter.all(1)))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageEndingWith("the schema is missing or old; run: holdfast migrate");
    assertThatThrownBy(() -> new PostgresTicketInbox(dataSource).enqueue(NewTicket.ofKind("k")))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageEndingWith("the schema is missing or old; run: holdfast migrate");
  }

  @Test
  @DisplayName("a server older than PostgreSQL 15 is refused by name")
  void oldServer() {
    assertThatCode(() -> Migrations.requireServer(15)).doesNotThrowAnyException();
    assertThatThrownBy(() -> Migrations.requireServer(14))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith("PostgreSQL 14 is too old; Holdfast needs 15 or newer");
  }

  /** Once: no version of PostgreSQL or language is another one here. */
  @Tag("slow")
  @Test
  @DisplayName(
      "what ends a transaction that is idle is named, with the setting that lets migrate on")
  void idleInTransaction() {
    PGSimpleDataSource own = new PGSimpleDataSource();
    own.setUrl(database.jdbcUrl());
    own.setUser(database.user());
    own.setPassword(database.password());
    String name = sql.value("SELECT current_database()");
    sql.run("ALTER DATABASE " + name + " SET idle_in_transaction_session_timeout = '1s'");
    assertThatThrownBy(() -> Migrations.migrate(own, "holdfast", of -> untilNoneIsIdle()))
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("options=-c%20idle_in_transaction_session_timeout=0");
    sql.run("ALTER DATABASE " + name + " RESET idle_in_transaction_session_timeout");
  }

  private void untilNoneIsIdle() {
    String idle =
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND state = 'idle in transaction'";
    await().until(() -> "0".equals(sql.value(idle)));
  }

  /** Once, as above. */
  @Tag("slow")
  @Test
  @DisplayName("a connection that was lost is not said to have been idle")
  void lostConnection() {
    List<Connection> open = new CopyOnWriteArrayList<>();
    PGSimpleDataSource own =
        new PGSimpleDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            open.add(connection);
            return connection;
          }
        };
    own.setUrl(database.jdbcUrl());
    own.setUser(database.user());
    own.setPassword(database.password());
    assertThatThrownBy(() -> Migrations.migrate(own, "holdfast", of -> abort(open)))
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("This connection has been closed")
        .hasMessageContaining("run holdfast migrate again; if");
  }

  private static void abort(List<Connection> connections) {
    for (Connection each : connections) {
      try {
        each.abort(Runnable::run);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  @DisplayName("an unreachable database is told about in one line")
  void unreachable() {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/none");
    assertThatThrownBy(() -> Migrations.migrate(nowhere))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageStartingWith("cannot reach the database: Connection to 127.0.0.1:1 refused")
        .hasMessageContaining("check HOLDFAST_DATABASE_URL");
  }
}
