package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class WorkerSlotsIT {
  private static final int SLOTS = 8;
  private static final int TICKETS = 2_000;

  private final TicketDatabase database;
  private final TestWorker setup;
  private TicketDatabase pooled;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final CyclicBarrier together = new CyclicBarrier(SLOTS);

  WorkerSlotsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup = new TestWorker(this.database);
    this.pooled = this.database;
  }

  private HandlerResult work(TicketContext ticket) throws Exception {
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      if (ticket.payload().contains("together")) {
        together.await(30, TimeUnit.SECONDS);
        return HandlerResult.done(null);
      }
      return mixed(ticket);
    } finally {
      running.decrementAndGet();
    }
  }

  /** By the ticket's number: all the ways an attempt can end, stale ones included. */
  private HandlerResult mixed(TicketContext ticket) throws Exception {
    return switch ((int) (ticket.ticketId() % 20)) {
      case 0, 1, 2 ->
          HandlerResult.failed(ErrorReport.ofText("no").withStatedCategory(Category.CODE_ERROR));
      case 3 -> throw new IllegalStateException("no");
      case 4 -> throw new StackOverflowError("pretended");
      case 5 -> HandlerResult.success("not json");
      case 6 -> HandlerResult.failed(ErrorReport.ofText("\0"));
      case 7 -> {
        pooled.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", ticket.ticketId());
        yield HandlerResult.done(null);
      }
      case 8 -> {
        pooled.run("SELECT holdfast.hold_ticket(?, 'ann', 'no')", ticket.ticketId());
        throw new IllegalStateException("held meanwhile");
      }
      default -> HandlerResult.done("1");
    };
  }

  @Test
  @DisplayName(
      "A47: after thousands of outcomes of all sorts every slot is free, and none too many")
  void noLeak() {
    setup
        .settings(settings -> settings.withConcurrency(SLOTS))
        .retry(TestWorker.retries(1))
        .handler(this::work);
    setup.listeners(
        event -> {
          if (event.ticketId() % 50 == 0) {
            throw new AssertionError("a bad listener");
          }
        },
        setup.events);
    database.run(
        "INSERT INTO holdfast.ticket_base (kind) SELECT ? FROM generate_series(1, ?)",
        setup.kind,
        TICKETS);

    try (HikariDataSource pool = database.pool(10);
        Worker worker = setup.dataSource(pool).start()) {
      pooled = new TicketDatabase(pool);
      awaitNothingToDo();
      for (int round = 0; round < 2; round++) {
        database.run(
            "INSERT INTO holdfast.ticket_base (kind, payload) SELECT ?, '\"together\"'"
                + " FROM generate_series(1, ?)",
            setup.kind,
            SLOTS);
        awaitNothingToDo();
      }
      assertThat(worker.running()).isZero();
    }
    assertThat(most).hasValue(SLOTS);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.tickets WHERE kind = ? AND payload = '\"together\"'"
                    + " AND state = 'done'",
                setup.kind))
        .isEqualTo(2 * SLOTS);
    database.assertNoTicketIsLost();
  }

  /** Every ticket has an event that ends it: success, hold, or a result that came too late. */
  private void awaitNothingToDo() {
    long tickets = database.number("SELECT count(*) FROM holdfast.ticket_base");
    setup.events.awaitEnded((int) tickets);
  }
}
