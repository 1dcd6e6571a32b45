package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
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
        together.await(60, TimeUnit.SECONDS);
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
        "SELECT holdfast.enqueue_ticket(kind => ?) FROM generate_series(1, ?)",
        setup.kind,
        TICKETS);

    try (HikariDataSource pool = database.pool(10);
        Worker worker = setup.dataSource(pool).start()) {
      pooled = new TicketDatabase(pool);
      awaitNothingToDo();
      for (int round = 0; round < 2; round++) {
        database.run(
            "INSERT INTO holdfast.tickets (kind, payload) SELECT ?, '\"together\"'"
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

  @Test
  @DisplayName("A39: of what waits for the only slot the most urgent is next, from the start on")
  void urgentIsNext() throws InterruptedException {
    setup.enqueue(3);
    List<Integer> priorities = new CopyOnWriteArrayList<>();
    CountDownLatch done = new CountDownLatch(4);
    setup
        .settings(settings -> settings.withConcurrency(1))
        .handler(
            ticket -> {
              if (priorities.isEmpty()) {
                database.run(
                    "INSERT INTO holdfast.tickets (kind, priority) VALUES (?, 7)", setup.kind);
              }
              priorities.add(ticket.claimed().ticket().priority());
              done.countDown();
              return HandlerResult.done(null);
            });

    try (Worker worker = setup.start()) {
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(priorities).containsExactly(0, 7, 0, 0);
  }

  @Test
  @DisplayName("A47: while a result waits for its commit, the next tickets fill all slots")
  void nextWhileStoring() throws Exception {
    long first = setup.enqueue(1).getFirst();
    CountDownLatch filled = new CountDownLatch(1);
    setup
        .settings(settings -> settings.withConcurrency(SLOTS))
        .handler(ticket -> ticket.ticketId() == first ? HandlerResult.done(null) : fill(filled))
        .queue(queue -> storing(queue, first, filled));

    try (Worker worker = setup.start()) {
      setup.enqueue(SLOTS);
      setup.events.await(TicketEvent.Succeeded.class, 1 + SLOTS);
    }
    database.assertNoTicketIsLost();
  }

  private HandlerResult fill(CountDownLatch filled) throws Exception {
    together.await(60, TimeUnit.SECONDS);
    filled.countDown();
    return HandlerResult.done(null);
  }

  /** Stores the ticket's result only when the signal has come. */
  private static TicketQueue storing(TicketQueue queue, long ticketId, CountDownLatch signal) {
    return new QueueWrapper(queue) {
      @Override
      public List<FinishResult> finish(List<? extends Finish> finishes, Collection<Long> closed) {
        if (finishes.stream().anyMatch(finish -> finish.ticketId() == ticketId)) {
          await(signal);
        }
        return super.finish(finishes, closed);
      }
    };
  }

  private static void await(CountDownLatch signal) {
    try {
      assertThat(signal.await(60, TimeUnit.SECONDS)).as("all slots were filled").isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Every ticket has an event that ends it: success, hold, or a result that came too late. */
  private void awaitNothingToDo() {
    long tickets =
        database.number("SELECT count(*) FROM holdfast.ticket_base WHERE kind = ?", setup.kind);
    setup.events.awaitEnded((int) tickets);
  }
}
