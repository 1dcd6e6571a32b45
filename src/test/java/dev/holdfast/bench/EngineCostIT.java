package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.worker.HandlerResult;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** What a ticket that succeeds costs the database. */
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(Resources.GLOBAL)
class EngineCostIT {
  private static final int TICKETS = 5_000;

  private CostRun run;
  private CostRun.Counts cost;

  @BeforeAll
  void drain(TestDatabase database) throws Exception {
    run =
        new CostRun(database, TICKETS, () -> HandlerResult.done(null), TicketEvent.Succeeded.class);
    cost = run.measure();
  }

  @Test
  @DisplayName("a ticket's row is written once after its enqueue, and that update is HOT")
  void hotUpdates() {
    assertThat(cost.updates()).as("%s", cost).isEqualTo(TICKETS);
    assertThat(cost.hotUpdates()).as("%s", cost).isGreaterThanOrEqualTo(TICKETS * 95 / 100);
  }

  @Test
  @DisplayName("each execution inserts one attempt row, each claimed batch one lease row")
  void attemptsAndLeases() {
    assertThat(cost.attempts()).as("%s", cost).isEqualTo(TICKETS);
    assertThat(cost.leases()).as("%s", cost).isLessThanOrEqualTo(TICKETS / 500 + 2);
  }

  @Test
  @DisplayName(
      "forty tickets and more share a commit and a statement, those of starting and stopping"
          + " counted")
  void commitsAndStatements() {
    assertThat(cost.commits()).as("%s", cost).isLessThan(TICKETS / 40);
    assertThat(cost.statements()).as("%s", cost).isLessThan(TICKETS / 25);
  }

  @Test
  @DisplayName("a ticket's claim and completion write at most 900 bytes of WAL")
  void writeAheadLog() {
    assumeTrue(
        run.number("SELECT (current_setting('full_page_writes') = 'off')::int") == 1,
        "with full_page_writes the bytes depend on when checkpoints fall");
    assertThat(cost.walBytes() / TICKETS).as("%s", cost).isBetween(300L, 900L);
  }
}
