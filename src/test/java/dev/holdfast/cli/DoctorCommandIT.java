package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.InvalidInputException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class DoctorCommandIT {
  private final TestDatabase database;
  private final Cli cli;

  DoctorCommandIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  @BeforeEach
  void empty() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.workers"
              + " CASCADE");
    }
  }

  private void worker(String kinds, String age) throws SQLException {
    Cli.query(
        database,
        """
        INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state, heartbeat_at)
        VALUES (gen_random_uuid()::text, 'h', 1, 'v', '{%s}', 10, 'running', now() - interval '%s') RETURNING 1
        """
            .formatted(kinds, age));
  }

  @Test
  @DisplayName("all well: every check ok, exit code 0")
  void well() throws SQLException {
    worker("command", "1 s");
    cli.run("enqueue", "--kind", "command");

    Cli.Result result = cli.run("doctor");

    assertThat(result.code()).isZero();
    assertThat(result.lines())
        .hasSize(30)
        .filteredOn(line -> !line.matches("\\w+ +(sandbox|java|user): .*"))
        .allSatisfy(line -> assertThat(line).startsWith("ok    "));
    assertThat(result.out())
        .contains("database: PostgreSQL " + database.serverMajorVersion())
        .contains("they arrive", "1 running with 10 slots")
        .doesNotContain(database.password());
  }

  @Test
  @DisplayName(
      "no worker, a dead one, tickets nobody takes, a paused queue, an old hold: warnings with the"
          + " next step")
  void warnings() throws SQLException {
    assertThat(cli.run("doctor").out())
        .contains("warn  workers: none is running; start one: holdfast worker");
    worker("command", "1 s");
    worker("command", "5 min");
    cli.run("enqueue", "--kind", "tpyo", "--queue", "q1");
    cli.run("enqueue", "--kind", "command", "--queue", "q2");
    cli.run("pause", "q2", "--by", "ann");
    Cli.query(
        database,
        "INSERT INTO holdfast.tickets (kind, state, held_at, hold_reason, error_fingerprint)"
            + " VALUES ('command', 'on_hold', now() - interval '3 days', 'why', 'f') RETURNING id");
    // More groups than a list of them has, each of one ticket.
    Cli.query(
        database,
        "WITH many AS (INSERT INTO holdfast.held (id, held_at, queue, kind, category, fingerprint)"
            + " SELECT -n, now() - interval '2 days', 'q1', 'tpyo', 'unknown', n FROM"
            + " generate_series(1, 1100) n RETURNING id) SELECT count(*) FROM many");

    Cli.Result result = cli.run("doctor");
    Cli.query(
        database,
        "WITH gone AS (DELETE FROM holdfast.held WHERE id < 0 RETURNING id) SELECT count(*) FROM"
            + " gone");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("warn  workers: 1 running with 10 slots, 1 draining or silent")
        .contains("warn  kinds: no live worker takes 1 of kind tpyo in queue q1")
        .contains(
            "warn  pauses: paused: q2 with 1 ready tickets (paused by ann); resume with: holdfast"
                + " resume q2")
        .contains("warn  holds: 1101 groups of held tickets")
        .contains("3d ago");
    assertThat(
            cli.run("doctor", "--json")
                .json()
                .valueStream()
                .map(each -> each.get("status").stringValue()))
        .contains("ok", "warn");
  }

  @Test
  @DisplayName(
      "a missing schema fails with exit code 1 and names holdfast migrate; what an encoding lacks"
          + " is refused with what to do about it")
  void noSchema() throws SQLException {
    String name = "doctor_" + System.nanoTime();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE DATABASE "
              + name
              + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
      String url = database.jdbcUrl().replaceFirst("/[^/]*$", "/" + name);
      Cli empty = new Cli(withUrl(url), cli.directory());

      Cli.Result result = empty.run("doctor");
      assertThat(result.code()).isEqualTo(1);
      assertThat(result.out())
          .contains("fail  schema: the schema holdfast is missing; run: holdfast migrate");
      Cli.Result list = empty.run("list");
      assertThat(list.code()).isNotZero();
      assertThat(list.err()).contains("holdfast migrate").hasLineCount(1);

      Cli.Result migrated = empty.run("migrate");
      assertThat(migrated.out()).startsWith("ran ");
      // A slow machine is told how far it is, too.
      assertThat(migrated.err().lines().filter(line -> !line.startsWith("ran migrations: ")))
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("LATIN1", "ENCODING 'UTF8'");
      assertThat(empty.run("migrate").out()).contains("up to date");
      assertThat(empty.run("doctor").lines()).anyMatch(line -> line.startsWith("warn  encoding: "));
      assertThat(empty.run("doctor").code()).isZero();
      assertRefusesWhatLatin1Lacks(url);
      statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
    }
  }

  private void assertRefusesWhatLatin1Lacks(String url) {
    PostgresTicketInbox inbox =
        new PostgresTicketInbox(
            new Database(url, database.user(), database.password(), 1, "encoding").unpooled());
    NewTicket ticket = NewTicket.ofKind("agent");

    assertThatThrownBy(() -> inbox.enqueue(ticket.withTitle("日本")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ENCODING 'UTF8'");
    assertThatThrownBy(() -> inbox.enqueue(ticket.withPayload("{\"a\": \"\\u65e5\"}")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ENCODING 'UTF8'");
    assertThat(inbox.enqueue(ticket.withTitle("Größe"))).isPositive();
  }

  private java.util.Map<String, String> withUrl(String url) {
    java.util.Map<String, String> environment = new java.util.HashMap<>(cli.environment());
    environment.put("HOLDFAST_DATABASE_URL", url);
    return environment;
  }
}
