package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.failure.ErrorReport;
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

/** What a ticket that fails costs the database. */
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(Resources.GLOBAL)
class FailureCostIT {
  private static final int TICKETS = 5_000;

  private CostRun run;
  private CostRun.Counts cost;

  @BeforeAll
  void drain(TestDatabase database) throws Exception {
    run =
        new CostRun(database, TICKETS, FailureCostIT::overloaded, TicketEvent.RetryScheduled.class);
    cost = run.measure();
  }

  private static HandlerResult overloaded() {
    return HandlerResult.failed(ErrorReport.ofText("503 Service Unavailable: overloaded"));
  }

  @Test
  @DisplayName("the failure of a first attempt is one update, which locks and reads nothing before")
  void unseen() {
    assertThat(cost.updates()).as("%s", cost).isEqualTo(TICKETS);
    assertThat(run.number(CostRun.statements("count(*)") + " AND query LIKE '%store_failures(%'"))
        .isPositive();
    assertThat(run.number(CostRun.statements("count(*)") + " AND query LIKE '%AS queue_retry%'"))
        .isZero();
  }

  @Test
  @DisplayName("A60: each failure inserts one attempt row and one decision, each batch one lease")
  void rows() {
    assertThat(cost.attempts()).as("%s", cost).isEqualTo(TICKETS);
    assertThat(
            run.number(
                "SELECT count(*) FROM holdfast.ticket_activity WHERE action = 'retry_decision'"))
        .isEqualTo(TICKETS);
    assertThat(cost.leases()).as("%s", cost).isLessThanOrEqualTo(TICKETS / 500 + 2);
  }

  @Test
  @DisplayName("a ticket's claim and failure write at most 2,400 bytes of WAL")
  void writeAheadLog() {
    assumeTrue(
        run.number("SELECT (current_setting('full_page_writes') = 'off')::int") == 1,
        "with full_page_writes the bytes depend on when checkpoints fall");
    assertThat(cost.walBytes() / TICKETS).as("%s", cost).isBetween(700L, 2_400L);
  }
}
