package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.session.AllowanceStore.Own;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a ticket's own bounds are, and how long it was worked on by the database's clock. */
@WithDatabase
@Timeout(120)
@EverySetup
class PostgresAllowanceStoreIT {
  private final TestDatabase database;
  private final TicketDatabase sql;

  PostgresAllowanceStoreIT(TestDatabase database) {
    this.database = database;
    this.sql = new TicketDatabase(database);
  }

  private void attempt(long ticket, int number, String took) {
    sql.run(
        "INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at,"
            + " attempt, outcome, worker_id) VALUES (?, -?, now() - ?::interval, now(), ?,"
            + " 'failed', 'w')",
        ticket,
        number,
        took,
        number);
  }

  @Test
  @DisplayName(
      "5.2: the time of a ticket is that of all its attempts; its own cost is kept with it")
  void own() {
    PostgresAllowanceStore store = new PostgresAllowanceStore(database.dataSource(), "holdfast");
    long ticket = sql.enqueue("agent");
    long other = sql.enqueue("agent");
    assertThat(store.of(ticket)).isEqualTo(Own.NONE);

    attempt(ticket, 1, "90 seconds");
    attempt(ticket, 2, "0.25 seconds");
    attempt(other, 1, "1 day");
    sql.run("UPDATE holdfast.ticket_base SET max_cost_usd = 0.75 WHERE id = ?", ticket);
    assertThat(store.of(ticket))
        .isEqualTo(new Own(new BigDecimal("0.75"), Duration.ofMillis(90_250)));

    attempt(ticket, 3, "-1 hour");
    assertThat(store.of(ticket).worked())
        .as("the database's clock was set back")
        .isEqualTo(Duration.ZERO);
    assertThat(store.of(Long.MAX_VALUE)).isEqualTo(Own.NONE);
  }

  @Test
  @DisplayName(
      "5.2: a session that finds all connections in use waits for one, and is not given up")
  void waitsForConnection() throws Exception {
    long ticket = sql.enqueue("agent");
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      Connection taken = pool.getConnection();
      PostgresAllowanceStore store =
          new PostgresAllowanceStore(pool, "holdfast", new Persistence(time -> giveBack(taken)));
      assertThat(store.of(ticket)).isEqualTo(Own.NONE);
    }
  }

  static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
