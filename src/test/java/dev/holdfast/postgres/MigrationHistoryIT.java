package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What the history of a migrated schema says of it. Each test finds it as the migrations wrote it.
 */
@WithDatabase
@EverySetup
class MigrationHistoryIT {
  private final TestDatabase database;
  private final DataSource dataSource;
  private final TestSql sql;

  MigrationHistoryIT(TestDatabase database) {
    this.database = database;
    this.dataSource = database.dataSource();
    this.sql = new TestSql(dataSource);
  }

  @BeforeEach
  void remember() {
    sql.run("CREATE TABLE IF NOT EXISTS public.history AS TABLE holdfast.flyway_schema_history");
  }

  @AfterEach
  void restore() {
    sql.run("TRUNCATE holdfast.flyway_schema_history");
    sql.run("INSERT INTO holdfast.flyway_schema_history TABLE public.history");
  }

  @Test
  @DisplayName("a migration waits for somebody's open transaction, and nobody waits for it")
  void besideOpenTransaction() throws Exception {
    sql.run("UPDATE holdfast.flyway_schema_history SET checksum = 0 WHERE version IS NULL");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection open = dataSource.getConnection()) {
      open.setAutoCommit(false);
      open.createStatement().execute("LOCK TABLE holdfast.ticket_base IN ROW EXCLUSIVE MODE");
      Future<Migrations.Result> migration = threads.submit(() -> Migrations.migrate(dataSource));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> "t".equals(sql.value("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted")));
      sql.run("SET statement_timeout = '15s'; SELECT holdfast.enqueue_ticket('noop')");
      assertThat(migration.isDone()).isFalse();
      open.rollback();
      assertThat(migration.get().applied()).isPositive();
    }
    Migrations.requireCurrent(dataSource, "holdfast");
  }

  @Test
  @DisplayName("a migration's statements take their time, whatever statement_timeout is set")
  void besideStatementTimeout() throws Exception {
    sql.run("UPDATE holdfast.flyway_schema_history SET checksum = 0 WHERE version IS NULL");
    PGSimpleDataSource limited = new PGSimpleDataSource();
    limited.setUrl(database.jdbcUrl());
    limited.setUser(database.user());
    limited.setPassword(database.password());
    limited.setOptions("-c statement_timeout=1s");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection open = dataSource.getConnection()) {
      open.setAutoCommit(false);
      open.createStatement().execute("LOCK TABLE holdfast.ticket_base IN ROW EXCLUSIVE MODE");
      Future<Migrations.Result> migration = threads.submit(() -> Migrations.migrate(limited));
      String waits =
          "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
              + " current_database()";
      await().atMost(Duration.ofSeconds(60)).until(() -> "t".equals(sql.value(waits)));
      await().atMost(Duration.ofSeconds(60)).until(() -> "f".equals(sql.value(waits)));
      open.rollback();
      assertThat(migration.get().applied()).isPositive();
    }
    Migrations.requireCurrent(dataSource, "holdfast");
  }

  @Test
  @DisplayName(
      "a migration that loses a deadlock with somebody's transaction, which enqueues into a new"
          + " queue, is tried again")
  void losesDeadlock() throws Exception {
    sql.run("SELECT holdfast.enqueue_ticket('noop')");
    sql.run(
        "UPDATE holdfast.flyway_schema_history SET checksum = 0 WHERE script ="
            + " 'R__9_triggers.sql'");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection open = dataSource.getConnection()) {
      open.setAutoCommit(false);
      // So that the server ends the migration's wait.
      open.createStatement().execute("SET LOCAL deadlock_timeout = '60s'");
      open.createStatement().execute("SELECT holdfast.enqueue_ticket('noop')");
      Future<Migrations.Result> migration = threads.submit(() -> Migrations.migrate(dataSource));
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(10))
          .until(
              () ->
                  "t"
                      .equals(
                          sql.value(
                              "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation ="
                                  + " 'holdfast.ticket_base'::regclass")));
      open.createStatement().execute("SELECT holdfast.enqueue_ticket('noop', queue => 'new-one')");
      open.rollback();
      assertThat(migration.get().applied()).isOne();
    }
    Migrations.requireCurrent(dataSource, "holdfast");
  }

  @Test
  @DisplayName(
      "a view whose columns had another collation is made anew, with its readers and rights")
  void otherCollation() {
    sql.run("DROP VIEW holdfast.budget_status, holdfast.waiting_tickets");
    sql.run(
        """
        CREATE VIEW holdfast.waiting_tickets AS
        SELECT ticket_id, queue, state, kind, scopes, waits_for COLLATE "default" AS waits_for, since, retry_after, needed_usd, lease_no
        FROM holdfast.known_waits
        """);
    sql.run("CREATE VIEW holdfast.budget_status AS SELECT * FROM holdfast.waiting_tickets");
    sql.run(
        "UPDATE holdfast.flyway_schema_history SET checksum = 0 WHERE script ="
            + " 'R__8_accounts.sql'");

    assertThat(Migrations.migrate(dataSource).applied()).isOne();

    assertThat(sql.number("SELECT count(*) FROM holdfast.waiting_tickets WHERE kind = 'turn'"))
        .isZero();
    assertThat(sql.number("SELECT count(limit_usd) FROM holdfast.budget_status")).isZero();
    for (String view : List.of("waiting_tickets", "budget_status")) {
      assertThat(
              sql.value(
                  "SELECT has_table_privilege('holdfast_viewer', 'holdfast.' || ?, 'SELECT')",
                  view))
          .isEqualTo("t");
    }
  }

  @Test
  @DisplayName("functions of another build are noticed at a start, and replaced by migrate alone")
  void functionsOfAnotherBuild() {
    sql.run(
        "CREATE OR REPLACE FUNCTION holdfast.web_key() RETURNS text LANGUAGE sql AS 'SELECT NULL'");
    sql.run(
        "UPDATE holdfast.flyway_schema_history SET checksum = 7 WHERE script ="
            + " 'R__6_requests.sql'");
    assertThatThrownBy(() -> Migrations.requireCurrent(dataSource, "holdfast"))
        .isInstanceOf(HoldfastException.class)
        .hasMessage(
            "the schema holdfast is at version "
                + Migrations.NEWEST
                + ", but another build of Holdfast wrote its functions (R__6_requests.sql); run:"
                + " holdfast migrate");
    assertThat(Migrations.migrate(dataSource))
        .isEqualTo(new Migrations.Result(1, "" + Migrations.NEWEST));
    assertThat(sql.value("SELECT holdfast.web_key()")).hasSize(64);
    Migrations.requireCurrent(dataSource, "holdfast");
    assertThat(Migrations.migrate(dataSource).applied()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UPDATE %s SET checksum = 5 WHERE version = '3'  | checksum mismatch for migration version 3
          DELETE FROM %s WHERE version = '3'              | migration not applied to database: 3
          UPDATE %s SET success = false WHERE version = '3' | failed migration to version 3 (sessions)
          """)
  @DisplayName("22.1: a history that somebody changed: the migration's error says what is wrong")
  void changedHistory(String change, String cause) {
    sql.run(change.formatted("holdfast.flyway_schema_history"));
    assertThatThrownBy(() -> Migrations.migrate(dataSource))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith("the migration failed: ")
        .hasMessageContaining(cause + "; flyway_schema_history is not as this Holdfast wrote it")
        .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1));
  }

  @Test
  @DisplayName(
      "a schema newer or older than the program is refused, and the message says what to do")
  void otherVersion() {
    sql.run(
        """
        INSERT INTO holdfast.flyway_schema_history
          (installed_rank, version, description, type, script, installed_by, execution_time, success)
        VALUES (99, '99', 'from the future', 'SQL', 'V99__from_the_future.sql', 'x', 1, true)
        """);
    String newer = "the schema is at version 99, newer than this Holdfast knows (";
    assertThatThrownBy(() -> Migrations.requireCurrent(dataSource, "holdfast"))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith(newer)
        .hasMessageEndingWith("install a newer Holdfast");
    assertThatThrownBy(() -> Migrations.migrate(dataSource))
        .isInstanceOf(HoldfastException.class)
        .hasMessageStartingWith(newer);
    sql.run(
        "DELETE FROM holdfast.flyway_schema_history WHERE version IN ('99', ?)",
        "" + Migrations.NEWEST);
    assertThatThrownBy(() -> Migrations.requireCurrent(dataSource, "holdfast"))
        .hasMessageMatching(
            "the schema holdfast is at version [0-9]+, this Holdfast needs %s; run: holdfast migrate"
                .formatted("" + Migrations.NEWEST));
  }

  /** Where the way leads shows {@code DevelopmentBuildIT}. */
  @Test
  @DisplayName("a schema of a development build is refused with the way out")
  void developmentBuild() {
    long id = sql.number("SELECT holdfast.enqueue_ticket(kind => 'k', title => 'kept')");
    sql.run(
        "UPDATE holdfast.flyway_schema_history SET script = 'V1__create_tables.sql', description ="
            + " 'create tables' WHERE version = '1'");
    sql.run(
        """
        INSERT INTO holdfast.flyway_schema_history
          (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
        SELECT 100 + n, n::text, 'old', 'SQL', format('V%s__old.sql', n), 1, 'x', 1, true FROM generate_series(7, 29) n
        """);
    List<Runnable> starts =
        List.of(
            () -> Migrations.migrate(dataSource),
            () -> Migrations.requireCurrent(dataSource, "holdfast"),
            () -> Migrations.refuseDevelopmentBuild(dataSource, "holdfast"));
    for (Runnable start : starts) {
      assertThatThrownBy(start::run)
          .isInstanceOf(HoldfastException.class)
          .hasMessageStartingWith(
              "a development build before Holdfast 0.1 made the schema holdfast, and no migration"
                  + " leads on from it; keep it under another name (ALTER SCHEMA holdfast RENAME TO"
                  + " holdfast_old), then run: holdfast migrate; to take its tickets over, run:"
                  + " holdfast migrate --from holdfast_old.tickets");
    }
    assertThat(sql.number("SELECT id FROM holdfast.tickets WHERE kind = 'k'")).isEqualTo(id);
  }
}
