package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Heartbeat;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.Refusals;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class HeartbeatIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  HeartbeatIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @BeforeEach
  void workerOfYesterday() {
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state,"
            + " heartbeat_at) VALUES (?, 'h', 1, 'v', '{}', 1, 'running', now() - interval '1"
            + " day') ON CONFLICT (id) DO UPDATE SET heartbeat_at = EXCLUDED.heartbeat_at",
        TestQueue.WORKER);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private Heartbeat beat(Long... leases) {
    return queue.queue().heartbeat(TestQueue.WORKER, List.of(leases), Duration.ofHours(1));
  }

  private String left(long id) {
    return database.value(
        "SELECT lease_expires_at - now() > interval '59 minutes' FROM holdfast.tickets"
            + " WHERE id = ?",
        id);
  }

  @Test
  @DisplayName("a heartbeat renews the leases and the worker")
  void renews() {
    long id = queue.enqueue();
    long lease = queue.claim();
    assertThat(beat(lease)).isEqualTo(new Heartbeat(Set.of(lease), Set.of(), Map.of(), true));

    assertThat(left(id)).isEqualTo("t");
    assertThat(
            database.value(
                "SELECT now() - heartbeat_at < interval '1 minute' FROM holdfast.workers"
                    + " WHERE id = ?",
                TestQueue.WORKER))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("what is gone is told: a lease by no answer, the worker itself by a word")
  void gone() {
    queue.enqueue();
    long lease = queue.claim();

    assertThat(beat(lease, -1L)).isEqualTo(new Heartbeat(Set.of(lease), Set.of(), Map.of(), true));
    assertThat(beat()).isEqualTo(new Heartbeat(Set.of(), Set.of(), Map.of(), true));

    database.run("DELETE FROM holdfast.workers WHERE id = ?", TestQueue.WORKER);
    assertThat(beat(lease)).isEqualTo(new Heartbeat(Set.of(lease), Set.of(), Map.of(), false));
    assertThat(beat()).isEqualTo(new Heartbeat(Set.of(), Set.of(), Map.of(), false));
  }

  @Test
  @DisplayName("tickets that a person cancelled or held show as revoked")
  void revoked() {
    List<Long> ids = queue.enqueue(3);
    long lease = queue.claim(3).getFirst().lease().no();
    database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", ids.get(0));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ids.get(2));

    assertThat(beat(lease).revoked()).isEqualTo(Map.of(lease, Set.of(ids.get(0), ids.get(2))));
    assertThat(database.outcomes(ids.get(0))).containsExactly("revoked");
  }

  @Test
  @DisplayName("a lease that somebody's open transaction has locked is busy; it holds nobody up")
  void busy() throws Exception {
    List<Long> ids = queue.enqueue(2);
    List<Long> leases =
        List.of(queue.claim(1), queue.claim(1)).stream()
            .map(List::getFirst)
            .map(ClaimedTicket::lease)
            .map(lease -> lease.no())
            .toList();
    try (Connection person = database.dataSource().getConnection()) {
      person.setAutoCommit(false);
      person
          .createStatement()
          .execute("SELECT holdfast.cancel_ticket(" + ids.get(0) + ", 'ann', 'no')");

      Heartbeat heartbeat = beat(leases.get(0), leases.get(1));

      assertThat(heartbeat)
          .isEqualTo(new Heartbeat(Set.of(leases.get(1)), Set.of(leases.get(0)), Map.of(), true));
      assertThat(left(ids.get(1))).isEqualTo("t");
      person.rollback();
    }
    assertThat(beat(leases.get(0)).renewed()).containsExactly(leases.get(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"XX001", "40P01", "55P03", "HF409"})
  @DisplayName("20.2: a lease that cannot be renewed does not keep the others from it")
  void refused(String sqlState) {
    List<Long> ids = queue.enqueue(3);
    List<Long> leases = ids.stream().map(id -> queue.claim(1).getFirst().lease().no()).toList();
    Refusals refusals = new Refusals(database);
    refusals.refuseRenewal(ids.get(1), sqlState);
    try {
      assertThat(beat(leases.toArray(Long[]::new)))
          .isEqualTo(
              new Heartbeat(
                  Set.of(leases.get(0), leases.get(2)), Set.of(leases.get(1)), Map.of(), true));
      assertThat(left(ids.get(2))).isEqualTo("t");
    } finally {
      refusals.end();
    }
  }
}
