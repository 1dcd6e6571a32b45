package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UPDATE of the state of many tickets, beside workers that go on. */
@WithDatabase
@EverySetup
class StateUpdateIT {
  private static final String UPDATE =
      "UPDATE holdfast.tickets SET state = ? WHERE state = ? AND kind = ?";

  private final TicketDatabase database;
  private final TestQueue queue;

  StateUpdateIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancelled", "on_hold"})
  @DisplayName("a ticket that has begun or ended since an UPDATE saw it is passed over")
  void movedOn(String wanted) throws Exception {
    List<Long> ids = queue.enqueue(3);

    int updated =
        update(
            wanted,
            "ready",
            () -> {
              List<ClaimedTicket> claimed = queue.claim(2);
              long lease = claimed.getFirst().lease().no();
              assertThat(claimed).extracting(ClaimedTicket::id).containsAll(ids.subList(0, 2));
              queue.succeed(ids.get(1), lease);
              database.run("SELECT holdfast.approve_ticket(?, 'ann')", ids.get(1));
            });

    assertThat(updated).isOne();
    assertThat(ids).extracting(database::state).containsExactly("in_progress", "done", wanted);
    long lease =
        Long.parseLong(
            database.value("SELECT lease_no FROM holdfast.tickets WHERE id = ?", ids.getFirst()));
    assertThat(queue.succeed(ids.getFirst(), lease)).isInstanceOf(FinishResult.Succeeded.class);
  }

  @Test
  @DisplayName("so is one that was running when it was seen, and waits for its next attempt now")
  void givenBack() throws Exception {
    long id = queue.enqueue();
    long lease = queue.claim();

    assertThat(update("on_hold", "in_progress", () -> queue.giveBack(id, lease))).isZero();
    assertThat(database.state(id)).isEqualTo("ready");
    assertThat(queue.claim()).isPositive();
  }

  @Test
  @DisplayName("one statement may cancel a ticket and others that wait for it")
  void followers() {
    long first = queue.enqueue();
    long next =
        database.number(
            "SELECT holdfast.enqueue_ticket(?, after => ARRAY[?])", queue.kind(), first);

    assertThat(database.column(UPDATE + " RETURNING state", "cancelled", "ready", queue.kind()))
        .containsExactly("cancelled", "cancelled");
    assertThat(database.state(first)).isEqualTo("cancelled");
    assertThat(database.state(next)).isEqualTo("cancelled");
  }

  /** Runs the UPDATE; meanwhile happens after it has seen the tickets, and before it acts. */
  private int update(String wanted, String state, Runnable meanwhile) throws Exception {
    try (Connection gate = database.dataSource().getConnection();
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      gate.createStatement().execute("SELECT pg_advisory_lock(4711)");
      Future<String> counted = threads.submit(() -> behindGate(wanted, state));
      await()
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT"
                              + " granted AND database = (SELECT oid FROM pg_database WHERE"
                              + " datname = current_database())")
                      == 1);
      meanwhile.run();
      gate.createStatement().execute("SELECT pg_advisory_unlock(4711)");
      return Integer.parseInt(counted.get());
    }
  }

  private String behindGate(String wanted, String state) throws SQLException {
    return database.value(
        "WITH gate AS MATERIALIZED (SELECT pg_advisory_xact_lock(4711)), changed AS ("
            + UPDATE.replace(" WHERE", " FROM gate WHERE")
            + " RETURNING id) SELECT count(*) FROM changed",
        wanted,
        state,
        queue.kind());
  }
}
