package dev.holdfast.postgres.batch;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.batch.NewRelease;
import dev.holdfast.batch.Release;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.engine.PostgresBatchKeeper;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker dies at each write that a release in steps makes, as the database sees kill -9. */
@Tag("slow")
@WithDatabase
class ReleaseKillIT {
  private static final int TICKETS = 12;

  /** Counts the writes, and ends the connection that makes a chosen one. */
  private static final String DEATH =
      """
      CREATE SEQUENCE holdfast.sweep_writes;
      CREATE TABLE holdfast.sweep_death (write bigint);
      CREATE FUNCTION holdfast.sweep_die() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('holdfast.sweep_writes') = (SELECT write FROM holdfast.sweep_death) THEN
          PERFORM pg_terminate_backend(pg_backend_pid());
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER sweep BEFORE UPDATE ON holdfast.releases FOR EACH ROW EXECUTE FUNCTION holdfast.sweep_die();
      CREATE TRIGGER sweep BEFORE UPDATE ON holdfast.release_tickets FOR EACH ROW EXECUTE FUNCTION holdfast.sweep_die();
      """;

  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final TestTickets tickets;
  private final PostgresReleaseDesk desk;
  private final PostgresBatchKeeper keeper;
  private int deaths;

  ReleaseKillIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(2);
    this.tickets = new TestTickets(pool);
    this.desk = new PostgresReleaseDesk(pool, "holdfast");
    this.keeper = new PostgresBatchKeeper(pool, "holdfast");
  }

  @Test
  @DisplayName("a death at any write of a release in steps changes neither its steps nor its end")
  void sweep() {
    database.run(DEATH);
    int write = 0;
    int before;
    do {
      write++;
      before = deaths;
      run("sweep-" + write, write);
    } while (deaths > before);
    assertThat(deaths).as("writes of a release").isGreaterThan(TICKETS);
  }

  private void run(String kind, int deadlyWrite) {
    database.run(
        "INSERT INTO holdfast.tickets (kind, state, error_fingerprint) SELECT ?, 'on_hold', ?"
            + " FROM generate_series(1, ?)",
        kind,
        "fingerprint-" + kind,
        TICKETS);
    Release release =
        desk.start(
            new NewRelease(
                new NewRelease.Which(null, "fingerprint-" + kind, null, null),
                2,
                NewRelease.ramp("3,all"),
                "words",
                Retries.RESET,
                Conversation.RESUME),
            "ann");
    database.run("TRUNCATE holdfast.sweep_death");
    database.run("INSERT INTO holdfast.sweep_death VALUES (?)", deadlyWrite);
    database.run("ALTER SEQUENCE holdfast.sweep_writes RESTART");
    while (desk.find(release.id()).orElseThrow().isRunning()) {
      step(kind);
    }
    database.run("TRUNCATE holdfast.sweep_death");
    assertThat(desk.find(release.id()).orElseThrow().progress())
        .as("death at write %s", deadlyWrite)
        .isEqualTo("completed: released 12 of 12, 12 came through");
    assertThat(
            database.column(
                "SELECT count(*) FROM holdfast.release_tickets WHERE release_id = ? GROUP BY step"
                    + " ORDER BY step",
                release.id()))
        .containsExactly("2", "3", "7");
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.ticket_activity a JOIN holdfast.tickets t ON t.id ="
                    + " a.ticket_id WHERE t.kind = ? AND a.action = 'released'",
                kind))
        .as("each ticket is released once")
        .isEqualTo(TICKETS);
  }

  private void step(String kind) {
    // Without the triggers: it is no write of the release.
    database.run(
        "SET session_replication_role = replica; UPDATE holdfast.releases SET look_at = now() WHERE"
            + " ended_at IS NULL AND look_at > now()");
    try {
      keeper.advance();
    } catch (DatabaseUnavailableException e) {
      deaths++;
    }
    tickets
        .queue()
        .claim(new ClaimRequest("w", Set.of(kind), Set.of(), 100, Duration.ofMinutes(5)))
        .tickets()
        .forEach(each -> tickets.succeed(each.id(), each.lease().no(), false));
  }
}
