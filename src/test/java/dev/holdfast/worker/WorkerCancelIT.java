package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class WorkerCancelIT {
  private final TicketDatabase database;
  private final TestWorker setup;
  private final CountDownLatch interrupted = new CountDownLatch(1);

  WorkerCancelIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup = new TestWorker(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private HandlerResult untilInterrupted(TicketContext ticket) throws InterruptedException {
    if (ticket.attempt() > 1) {
      return HandlerResult.done("" + ticket.attempt());
    }
    try {
      new CountDownLatch(1).await();
      return HandlerResult.done(null);
    } finally {
      if (ticket.isCancelled()) {
        interrupted.countDown();
      }
    }
  }

  @Test
  @DisplayName(
      "A58: a cancelled ticket's handler is interrupted at once, not at the next heartbeat")
  void cancel() throws Exception {
    List<Long> ids = setup.enqueue(2);
    setup
        .settings(settings -> settings.withLease(Duration.ofHours(3), Duration.ofHours(1)))
        .handler(
            ticket ->
                ticket.ticketId() == ids.get(0)
                    ? untilInterrupted(ticket)
                    : HandlerResult.done(null));

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Claimed.class, 2);
      setup.events.await(TicketEvent.Succeeded.class);
      setup.awaitBegin(ids.get(0));
      database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", ids.get(0));
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      setup.events.await(TicketEvent.StaleResultDropped.class);
      assertThat(worker.running()).isZero();
    }
    assertThat(ids).map(database::state).containsExactly("cancelled", "done");
    assertThat(database.outcomes(ids.get(0))).containsExactly("revoked");
  }

  @Test
  @DisplayName("a held and released ticket runs anew, and the result of its old attempt is dropped")
  void holdAndRelease() throws Exception {
    long id = setup.enqueue();
    setup
        .settings(settings -> settings.withLease(Duration.ofHours(3), Duration.ofHours(1)))
        .handler(this::untilInterrupted);

    try (Worker worker = setup.start()) {
      setup.awaitBegin(id);
      database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", id);
      database.run("SELECT holdfast.release_ticket(?, 'ann', 'go')", id);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      setup.events.await(TicketEvent.Succeeded.class);
      setup.events.await(TicketEvent.StaleResultDropped.class);
      assertThat(worker.running()).isZero();
    }
    assertThat(database.ticket(id)).containsEntry("state", "done").containsEntry("result", "2");
    assertThat(database.outcomes(id)).containsExactly("revoked", "succeeded");
  }

  @Test
  @DisplayName(
      "a ticket that is held and released again and again begins anew only when its first handler"
          + " has ended")
  void oneAtATime() throws Exception {
    long id = setup.enqueue();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch tidy = new CountDownLatch(1);
    setup.handler(
        ticket -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          try {
            return untilInterrupted(ticket);
          } finally {
            tidy.await(); // as a program that heeds its end late
            running.decrementAndGet();
          }
        });

    try (Worker worker = setup.start()) {
      setup.awaitBegin(id);
      for (int claims = 2; claims <= 3; claims++) {
        database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", id);
        database.run("SELECT holdfast.release_ticket(?, 'ann', 'go')", id);
        setup.events.await(TicketEvent.Claimed.class, claims);
      }
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.running()).isEqualTo(3);
      tidy.countDown();
      setup.events.await(TicketEvent.Succeeded.class);
      setup.events.await(TicketEvent.StaleResultDropped.class, 2);
    }
    assertThat(most).hasValue(1);
    assertThat(database.outcomes(id)).containsExactly("revoked", "revoked", "succeeded");
  }

  @Test
  @DisplayName("without notifications the next heartbeat tells of a cancelled ticket")
  void byHeartbeat() throws Exception {
    long id = setup.enqueue();
    setup
        .settings(settings -> settings.withLease(Duration.ofMinutes(1), Duration.ofMillis(50)))
        .wakeUps(postgres -> TestWorker.deaf())
        .handler(this::untilInterrupted);

    try (Worker worker = setup.start()) {
      setup.awaitBegin(id);
      database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", id);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(database.state(id)).isEqualTo("cancelled");
  }

  @Test
  @DisplayName("A46: a ticket that a person's open transaction has locked holds up no other")
  void lockedTicket() throws Exception {
    setup
        .settings(settings -> settings.withConcurrency(3))
        .handler(ticket -> HandlerResult.done(null));
    CountDownLatch locked = new CountDownLatch(1);
    long id = setup.enqueue();
    setup.handler(
        ticket -> {
          locked.await();
          return HandlerResult.done(null);
        });
    try (Worker worker = setup.start();
        Connection person = database.dataSource().getConnection()) {
      setup.events.await(TicketEvent.Claimed.class);
      person.setAutoCommit(false);
      person
          .createStatement()
          .execute("UPDATE holdfast.tickets SET title = 'lunch' WHERE id = " + id);
      locked.countDown();
      setup.enqueue(20);
      setup.events.await(TicketEvent.Succeeded.class, 20);
      assertThat(setup.events.all(TicketEvent.Succeeded.class))
          .extracting(TicketEvent::ticketId)
          .doesNotContain(id);
      assertThat(worker.running()).isEqualTo(1);
      person.commit();
      setup.events.await(TicketEvent.Succeeded.class, id);
    }
    assertThat(database.outcomes(id)).containsExactly("succeeded");
  }
}
