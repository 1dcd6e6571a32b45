package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("Tickets with fairness keys")
class FairnessIT {
  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final TestQueue queue;

  FairnessIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.queue = TestQueue.on(new TicketDatabase(pool));
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.leases, holdfast.in_line,"
            + " holdfast.line_gates, holdfast.fairness_weights, holdfast.ticket_attempts");
  }

  private void enqueue(String tenant, int count, int priority) {
    NewTicket ticket =
        NewTicket.ofKind(queue.kind()).withFairnessKey(tenant).withPriority(priority);
    inbox.enqueueAll(Collections.nCopies(count, ticket).iterator());
  }

  private List<String> tenants(int most) {
    return tenantsOf(queue.claim(most).stream().map(ClaimedTicket::id).toList());
  }

  private List<String> tenantsOf(List<Long> ids) {
    return database.column(
        "SELECT COALESCE(fairness_key, '-') FROM holdfast.tickets WHERE id = ANY (?) ORDER BY 1",
        (Object) ids.toArray(Long[]::new));
  }

  @Test
  @DisplayName("are claimed in turns: the tenth of one does not wait for the thousandth of another")
  void inTurns() {
    enqueue("big", 1000, 0);
    enqueue("small", 3, 0);
    enqueue("other", 2, 0);
    assertThat(tenants(6)).containsExactly("big", "big", "other", "other", "small", "small");
    assertThat(tenants(3)).containsExactly("big", "big", "small");
    List<String> one = new ArrayList<>();
    enqueue("small", 3, 0);
    for (int i = 0; i < 6; i++) {
      one.addAll(tenants(1));
    }
    assertThat(one).containsOnly("big", "small");
    assertThat(Collections.frequency(one, "small")).as("of claims of one, too").isEqualTo(3);
    assertThat(tenants(500)).hasSize(500).containsOnly("big");
  }

  @Test
  @DisplayName("have one turn between all concurrency keys of a tenant, the oldest ticket first")
  void oneTurnForAllKeys() {
    for (int i = 0; i < 6; i++) {
      NewTicket ticket = NewTicket.ofKind(queue.kind()).withFairnessKey("big");
      inbox.enqueue(ticket.withConcurrencyKey("key-" + (9 - i)));
    }
    enqueue("small", 1, 0);
    assertThat(tenants(2)).containsExactly("big", "small");
    assertThat(
            database.column(
                "SELECT concurrency_key FROM holdfast.tickets WHERE state = 'in_progress'"
                    + " AND concurrency_key IS NOT NULL"))
        .containsExactly("key-9");
  }

  @Test
  @DisplayName("get as many at a turn as their weight says")
  void weights() {
    enqueue("a", 100, 0);
    enqueue("b", 100, 0);
    database.run("SELECT holdfast.set_weight('a', 'ann', 3)");
    assertThat(Collections.frequency(tenants(8), "a")).isEqualTo(6);
    assertThatThrownBy(() -> database.run("SELECT holdfast.set_weight('a', 'ann', 0)"))
        .rootCause()
        .hasMessageContaining("a weight is from 1 to 1000, not 0");
  }

  @Test
  @DisplayName("get their shares by weight from claims of one ticket, as a busy worker makes them")
  void weightsOfSingleClaims() {
    enqueue("a", 200, 0);
    enqueue("b", 200, 0);
    enqueue("c", 200, 0);
    database.run("SELECT holdfast.set_weight('a', 'ann', 3), holdfast.set_weight('c', 'ann', 2)");
    List<String> claimed = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      claimed.addAll(tenants(1));
    }
    assertShares(claimed, Map.of("a", 75, "b", 25, "c", 50));
    for (int i = 0; i < 30; i++) {
      claimed.addAll(tenants(1 + i % 4));
    }
    assertShares(claimed, Map.of("a", 111, "b", 37, "c", 74));
  }

  @Test
  @DisplayName("are claimed, too, where the weight gets less in the middle of a turn")
  void weightLessInATurn() {
    enqueue("a", 5, 0);
    database.run("SELECT holdfast.set_weight('a', 'ann', 3)");
    assertThat(tenants(2)).hasSize(2);
    database.run("SELECT holdfast.set_weight('a', 'ann', 2)");
    assertThat(tenants(2)).containsExactly("a", "a");
  }

  @Test
  @DisplayName("get their shares by weight from several workers that claim one ticket each")
  void weightsOfSeveralWorkers() throws InterruptedException, ExecutionException {
    enqueue("a", 200, 0);
    enqueue("b", 200, 0);
    database.run("SELECT holdfast.set_weight('a', 'ann', 3)");
    List<Future<List<Long>>> workers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      for (int i = 0; i < 3; i++) {
        workers.add(threads.submit(() -> claimOneByOne(50)));
      }
    }
    List<Long> ids = new ArrayList<>();
    for (Future<List<Long>> worker : workers) {
      ids.addAll(worker.get());
    }
    assertShares(tenantsOf(ids), Map.of("a", 112, "b", 38));
  }

  private List<Long> claimOneByOne(int count) {
    List<Long> ids = new ArrayList<>();
    while (ids.size() < count) {
      // None while another worker has the gate of the line.
      for (ClaimedTicket each : queue.claim(1)) {
        ids.add(each.id());
      }
    }
    return ids;
  }

  @Test
  @DisplayName("that come and go have their turn when they come, and leave no other's short")
  void keysThatComeAndGo() {
    enqueue("a", 200, 0);
    enqueue("b", 200, 0);
    database.run("SELECT holdfast.set_weight('a', 'ann', 3), holdfast.set_weight('g', 'ann', 5)");
    List<String> claimed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      // A guest of a weight that it does not use up: its turn ends with its last ticket.
      enqueue("g", 2, 0);
      for (int j = 0; j < 10; j++) {
        claimed.addAll(tenants(1));
      }
      assertThat(Collections.frequency(claimed, "g"))
          .as("after %d rounds", i + 1)
          .isEqualTo(2 * (i + 1));
    }
    assertShares(claimed, Map.of("a", 120, "b", 40, "g", 40));
  }

  @Test
  @DisplayName("all have their turn while tickets of another priority keep coming")
  void noPriorityDelaysAnother() {
    for (int i = 10; i < 40; i++) {
      enqueue("k" + i, 10, 0);
    }
    List<String> claimed = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      enqueue("a", 1, 5);
      for (int j = 0; j < 4; j++) {
        claimed.addAll(tenants(1));
      }
    }
    assertThat(new HashSet<>(claimed)).hasSize(31);
    for (int i = 10; i < 40; i++) {
      assertThat(Collections.frequency(claimed, "k" + i)).as("k" + i).isBetween(2, 4);
    }
  }

  /** A turn that is not over yet may be missing. */
  private static void assertShares(List<String> claimed, Map<String, Integer> shares) {
    shares.forEach(
        (tenant, share) ->
            assertThat(Collections.frequency(claimed, tenant))
                .as(tenant)
                .isBetween(share - 3, share + 3));
  }

  @Test
  @DisplayName("share each claim with those without, of the same priority; a higher one goes first")
  void beside() {
    queue.enqueue(100);
    enqueue("a", 100, 0);
    // One claim in ten begins with any priority; none of them here has two.
    assertThat(Collections.frequency(tenants(20), "-")).isEqualTo(10);
    enqueue("urgent", 10, 5);
    int urgent = 0;
    for (int i = 0; i < 10 && urgent < 10; i++) {
      urgent += Collections.frequency(tenants(20), "urgent");
    }
    assertThat(urgent).isEqualTo(10);
    assertThat(tenants(500)).as("all the rest").contains("-", "a");
  }

  @Test
  @DisplayName("of a low priority grow old, but not for ever, while higher ones keep coming")
  void ageing() {
    enqueue("low", 1, 0);
    boolean claimed = false;
    for (int i = 0; i < 400 && !claimed; i++) {
      enqueue("high", 1, 9);
      enqueue("high", 1, 9);
      claimed = tenants(1).contains("low");
    }
    assertThat(claimed).isTrue();
  }
}
