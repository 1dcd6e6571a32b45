package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.Claim;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class DeferredTicketsIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  DeferredTicketsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    database.run("DELETE FROM holdfast.deferred");
    database.run("TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.leases");
  }

  private long insertAt(String retryAfter) {
    return database.number(
        "INSERT INTO holdfast.tickets (kind, retry_after) VALUES (?, "
            + retryAfter
            + ") RETURNING id",
        queue.kind());
  }

  @Test
  @DisplayName("A42: a retry_after of exactly now is due, one of a millisecond later is not")
  void boundary() throws SQLException {
    // One transaction has one now(), whatever the machine's clock does meanwhile.
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "INSERT INTO holdfast.deferred (run_at, created_at, id, priority, queue, kind) VALUES"
              + " (now(), now(), -1, 0, 'default', 'boundary'),"
              + " (now() + interval '1 millisecond', now(), -2, 0, 'default', 'boundary')");
      String claim =
          "SELECT * FROM holdfast.take_tickets('{none}', '{}', 1, 'w', 1000, '{}', 65536, 1000000,"
              + " 0)";
      try (ResultSet row = statement.executeQuery(claim)) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt("promoted")).isEqualTo(1);
      }
      try (ResultSet row = statement.executeQuery("SELECT id FROM holdfast.deferred")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getLong("id")).isEqualTo(-2);
        assertThat(row.next()).isFalse();
      }
      connection.rollback();
    }
  }

  @Test
  @DisplayName("A42: what is inserted with retry_after exactly now is ready, not deferred")
  void insertedNow() {
    long id = insertAt("now()");
    assertThat(database.column("SELECT id FROM holdfast.ready WHERE kind = ?", queue.kind()))
        .containsExactly(String.valueOf(id));
  }

  @Test
  @DisplayName("a deferred ticket that came due is promoted and claimed by the same claim")
  void promotion() {
    long id = insertAt("clock_timestamp() + interval '20 milliseconds'");
    assertThat(database.number("SELECT count(*) FROM holdfast.deferred")).isEqualTo(1);
    database.run("SELECT pg_sleep(0.03)");

    Claim claim = queue.queue().claim(queue.request(5));

    assertThat(claim.tickets()).extracting(ClaimedTicket::id).containsExactly(id);
    assertThat(database.number("SELECT count(*) FROM holdfast.deferred WHERE id = ?", id)).isZero();
  }

  @Test
  @DisplayName("a promoted ticket keeps its place in the order")
  void promotedOrder() {
    long urgent =
        database.number(
            "INSERT INTO holdfast.tickets (kind, retry_after, priority) VALUES (?,"
                + " clock_timestamp() + interval '10 milliseconds', 9) RETURNING id",
            queue.kind());
    long plain = queue.enqueue();
    database.run("SELECT pg_sleep(0.02)");
    queue
        .queue()
        .claim(
            new dev.holdfast.queue.ClaimRequest(
                "w", java.util.Set.of("none"), java.util.Set.of(), 1, Duration.ofMinutes(1)));

    assertThat(queue.claim(5)).extracting(ClaimedTicket::id).containsExactly(urgent, plain);
  }

  @Test
  @DisplayName("a claim says how long until the next deferred ticket is due")
  void nextDue() {
    insertAt("now() + interval '2 hours'");
    insertAt("now() + interval '1 hour'");

    Claim claim = queue.queue().claim(queue.request(5));

    assertThat(claim.nextDue())
        .hasValueSatisfying(
            due -> assertThat(due).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"'infinity'", "'294276-12-31'", "now() + interval '1 microsecond' * 1e15"})
  @DisplayName("A46: a ticket deferred for ever, or nearly, does not stop claims")
  void farAway(String retryAfter) {
    long far = insertAt("now() + interval '1 day'");
    // As a version took it that refused none of these.
    database.run(
        "UPDATE holdfast.ticket_base SET retry_after = " + retryAfter + " WHERE id = ?", far);
    database.run(
        "UPDATE holdfast.deferred d SET run_at = b.retry_after FROM holdfast.ticket_base b WHERE"
            + " b.id = d.id AND b.id = ?",
        far);
    long id = queue.enqueue();

    assertThat(queue.claim(5)).extracting(ClaimedTicket::id).containsExactly(id);
    assertThat(queue.claim(5)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"'-infinity'", "'infinity'", "'4000-01-01 BC'", "'294276-12-31'"})
  @DisplayName("A46: a ticket with an odd created_at does not stop claims")
  void oddCreation(String createdAt) {
    long id = queue.enqueue();
    // As a version took it that refused none of these.
    database.run(
        "UPDATE holdfast.ticket_base SET created_at = %1$s, updated_at = %1$s WHERE id = ?"
            .formatted(createdAt),
        id);
    database.run("UPDATE holdfast.ready SET created_at = " + createdAt + " WHERE id = ?", id);

    assertThat(queue.claim(5)).extracting(ClaimedTicket::id).containsExactly(id);
    assertThat(new PostgresTicketReader(database.dataSource()).getReadyTickets(null, 5)).isEmpty();
  }

  @Test
  @DisplayName("more deferred tickets than one claim promotes are all promoted, one batch a time")
  void manyDue() {
    database.run(
        """
        WITH added AS (
          INSERT INTO holdfast.ticket_base (filed, kind, retry_after)
          SELECT true, ?, clock_timestamp() + interval '50 milliseconds' FROM generate_series(1, 2500)
          RETURNING id
        ), ids AS MATERIALIZED (SELECT array_agg(id) AS ids FROM added)
        SELECT holdfast.file_tickets(ids) FROM ids
        """,
        queue.kind());
    database.run("SELECT pg_sleep(0.2)");

    List<Integer> sizes =
        List.of(
            queue.claim(5000).size(),
            queue.claim(5000).size(),
            queue.claim(5000).size(),
            queue.claim(5000).size());

    assertThat(sizes).containsExactly(1000, 1000, 500, 0);
  }
}
