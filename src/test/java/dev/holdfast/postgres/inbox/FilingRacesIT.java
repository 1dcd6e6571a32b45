package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each stops a filing between its statements, of which each sees what is committed by then. */
@WithDatabase
@EverySetup
@DisplayName("A ticket that is filed stands in one place")
class FilingRacesIT {
  private final TicketDatabase database;
  private final PostgresTicketInbox inbox;
  private final TestQueue queue;

  FilingRacesIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.inbox = new PostgresTicketInbox(database.dataSource());
    this.queue = TestQueue.on(this.database);
  }

  @BeforeEach
  void waitBehindTheFirstStatement() {
    database.run("INSERT INTO holdfast.queues (name) VALUES ('raced') ON CONFLICT DO NOTHING");
    database.run(
        """
        CREATE FUNCTION public.wait_here() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(4242);
          RETURN NULL;
        END $$
        """);
    database.run(
        "CREATE TRIGGER wait_here AFTER INSERT ON holdfast.ready FOR EACH STATEMENT EXECUTE"
            + " FUNCTION public.wait_here()");
  }

  @AfterEach
  void nothingIsLost() {
    database.run("DROP TRIGGER wait_here ON holdfast.ready");
    database.run("DROP FUNCTION public.wait_here()");
    database.assertNoTicketIsLost();
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases,"
            + " holdfast.in_line, holdfast.line_slots, holdfast.line_gates, holdfast.claim_limits,"
            + " holdfast.limit_gates, holdfast.ticket_dependencies, holdfast.ticket_attempts");
  }

  private NewTicket ticket() {
    return NewTicket.ofKind(queue.kind()).withQueue("raced");
  }

  private void limit() {
    database.run("SELECT holdfast.set_limit('queue:raced', 'ann', concurrent => 10)");
  }

  /** Files in a transaction of its own, in which this is done behind the first statement. */
  private void duringFiling(Runnable filing, Runnable meanwhile) throws Exception {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ExecutorService other = Executors.newVirtualThreadPerTaskExecutor()) {
      statement.execute("SELECT pg_advisory_lock(4242)");
      Future<?> filed = other.submit(filing);
      try {
        Awaitility.await()
            .until(
                () ->
                    database.number(
                            "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                                + " current_database() AND wait_event = 'advisory'")
                        > 0);
        meanwhile.run();
      } finally {
        unlock(statement);
      }
      filed.get();
    }
  }

  private static void unlock(Statement statement) throws SQLException {
    statement.execute("SELECT pg_advisory_unlock(4242)");
  }

  private List<Long> claim() {
    return queue.claim(10).stream().map(ClaimedTicket::id).toList();
  }

  @Test
  @DisplayName("also if the limit that counts it is removed in that moment")
  void limitRemoved() throws Exception {
    inbox.enqueue(ticket());
    assertThat(claim()).hasSize(1);
    limit();

    duringFiling(
        () -> inbox.enqueueAll(List.of(ticket()).iterator()),
        () -> database.run("SELECT holdfast.remove_limit('queue:raced', 'ann')"));

    assertThat(claim()).hasSize(1);
  }

  @Test
  @DisplayName("also if a limit that counts it is set in that moment")
  void limitSet() throws Exception {
    long first = inbox.enqueue(ticket());
    long follower = inbox.enqueue(ticket().withAfter(List.of(first)));
    inbox.enqueue(ticket().withAfter(List.of(first)).withDelay(Duration.ofHours(1)));
    queue.succeed(first, queue.claim(10).getFirst().lease().no());

    duringFiling(
        () -> database.run("SELECT holdfast.approve_ticket(?, 'ann')", first), this::limit);

    assertThat(claim()).containsExactly(follower);
    assertThat(claim()).as("claimed twice").isEmpty();
  }

  @Test
  @DisplayName("also if it is the first of its lane, and so is another one in that moment")
  void laneMade() throws Exception {
    duringFiling(
        () -> inbox.enqueue(ticket().withUniqueKey("first of its lane")),
        () -> database.run("SELECT holdfast.know_lane('raced', ?)", queue.kind()));

    assertThat(claim()).hasSize(1);
  }
}
