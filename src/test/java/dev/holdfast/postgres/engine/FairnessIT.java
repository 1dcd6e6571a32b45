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
import java.util.Set;
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
    Set<Long> ids = new HashSet<>();
    for (ClaimedTicket each : queue.claim(most)) {
      ids.add(each.id());
    }
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
