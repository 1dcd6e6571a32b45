package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.queue.WorkerRegistry;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class WorkerWakeUpIT {
  private static final Duration NEVER = Duration.ofHours(1);

  private final TicketDatabase database;
  private final TestWorker setup;
  @AutoClose private final HikariDataSource pool;
  private final Listening listening = new Listening();

  WorkerWakeUpIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(8);
    this.setup =
        new TestWorker(this.database)
            .dataSource(pool)
            .wakeUps(listening::around)
            .handler(ticket -> HandlerResult.done(null));
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  /** Tells when the worker has begun to listen, and what it hears then. */
  private static final class Listening {
    final Semaphore began = new Semaphore(0);
    final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<Integer> claimedHere = new LinkedBlockingQueue<>();
    volatile boolean connectionLost;

    private Claim claim(TicketClaims here, ClaimRequest request) {
      if (connectionLost) {
        throw new DatabaseUnavailableException("the connection was lost", null);
      }
      Claim claim = here.claim(request);
      claimedHere.add(claim.tickets().size());
      return claim;
    }

    WakeUps around(WakeUps wakeUps) {
      return new ForwardingWakeUps() {
        @Override
        public void start(Listener listener) {
          wakeUps.start(
              new Listener() {
                @Override
                public void ready(String queue, TicketClaims here) {
                  listener.ready(queue, request -> claim(here, request));
                  // Listening begins with a hint of no queue.
                  if (queue.isEmpty()) {
                    began.release();
                  } else {
                    heard.add(queue);
                  }
                }

                @Override
                public void revoked() {
                  listener.revoked();
                }
              });
        }

        @Override
        public WakeUps wakeUps() {
          return wakeUps;
        }
      };
    }

    void awaitBegun() throws InterruptedException {
      assertThat(began.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** By a worker of its own, each enqueued when the one before it is done. */
  private void workThree() throws Exception {
    try (Worker worker = setup.start()) {
      listening.awaitBegun();
      for (int i = 1; i <= 3; i++) {
        setup.enqueue();
        setup.events.await(TicketEvent.Succeeded.class, i);
      }
      assertThat(worker.healthy()).isTrue();
    }
  }

  @Test
  @DisplayName(
      "A worker that has stopped has given all connections back: its owner closes them next")
  void givesConnectionsBack() throws Exception {
    for (int i = 0; i < 3; i++) {
      Worker worker = setup.start();
      listening.awaitBegun();
      worker.close();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  @DisplayName("A worker that stops while its pool is full gives back what it listened on")
  void givesBackToFullPool() throws Exception {
    Worker worker = setup.start();
    listening.awaitBegun();
    List<Connection> others = new ArrayList<>();
    try {
      for (int i = 0; i < 7; i++) {
        others.add(pool.getConnection());
      }
      worker.close();
      // It goes to whoever waits for one.
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 7);
    } finally {
      for (Connection each : others) {
        each.close();
      }
    }
  }

  @Test
  @DisplayName("rule 4: a notification wakes the worker, without waiting for the poll interval")
  void notified() throws Exception {
    setup.settings(settings -> settings.withPollInterval(NEVER));
    workThree();
    assertThat(listening.heard).contains("default");
  }

  @Test
  @DisplayName("rule 4: an idle worker claims on the connection that heard the notification")
  void claimsWhereItHeard() throws Exception {
    setup.settings(settings -> settings.withPollInterval(NEVER));
    try (Worker worker = setup.start()) {
      listening.awaitBegun();
      // A look that began before a ticket came may find it first: the worker's first look the
      // first ticket, and now and then a later look a later one.
      boolean claimedHere = false;
      for (int i = 1; i <= 50 && !claimedHere; i++) {
        listening.claimedHere.clear();
        setup.enqueue();
        setup.events.await(TicketEvent.Succeeded.class, i);
        Integer claimed = listening.claimedHere.poll(1, TimeUnit.SECONDS);
        claimedHere = i > 1 && claimed != null && claimed == 1;
      }
      assertThat(claimedHere).isTrue();
      assertThat(worker.healthy()).isTrue();
    }
  }

  @Test
  @DisplayName("A46: a ticket deferred for nearly ever does not cost the listening connection")
  void farAway() throws Exception {
    setup.settings(settings -> settings.withPollInterval(NEVER));
    database.run("INSERT INTO holdfast.tickets (kind, retry_after) VALUES ('far', '294276-12-31')");
    try {
      workThree();
    } finally {
      database.run(
          "SELECT holdfast.cancel_ticket(id, 'test', 'far away')"
              + " FROM holdfast.ticket_base WHERE kind = 'far'");
    }
    assertThat(listening.began.availablePermits()).as("connections after the first").isZero();
  }

  @Test
  @DisplayName("rule 4: where that connection fails, a poller claims what was notified")
  void claimsElsewhere() throws Exception {
    setup.settings(settings -> settings.withPollInterval(NEVER));
    listening.connectionLost = true;
    workThree();
    assertThat(listening.claimedHere).isEmpty();
  }

  @Test
  @DisplayName("A47: a notification that finds no free slot is not lost")
  void noFreeSlot() throws Exception {
    Semaphore mayEnd = new Semaphore(0);
    setup
        .settings(settings -> settings.withPollInterval(NEVER).withConcurrency(1))
        .handler(
            ticket -> {
              mayEnd.acquire();
              return HandlerResult.done(null);
            });
    try (Worker worker = setup.start()) {
      listening.awaitBegun();
      setup.enqueue();
      setup.events.await(TicketEvent.Claimed.class, 1);
      setup.enqueue();
      setup.enqueue();
      assertThat(listening.heard.poll(30, TimeUnit.SECONDS)).isNotNull();
      mayEnd.release(3);
      setup.events.await(TicketEvent.Succeeded.class, 3);
      assertThat(worker.healthy()).isTrue();
    }
  }

  @Test
  @DisplayName("rule 4: a worker listens again after its connection was killed")
  void listensAgain() throws Exception {
    setup.settings(settings -> settings.withPollInterval(NEVER));
    try (Worker worker = setup.start()) {
      listening.awaitBegun();
      database.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
              + " current_database() AND pid <> pg_backend_pid()");
      // Nobody hears of this one; it is found when listening begins again.
      setup.enqueue();
      listening.awaitBegun();
      setup.events.await(TicketEvent.Succeeded.class, 1);
      setup.enqueue();
      setup.events.await(TicketEvent.Succeeded.class, 2);
      assertThat(worker.running()).isZero();
    }
  }

  @Test
  @DisplayName("rule 4: without any notification polling finds the tickets")
  void polling() {
    setup.wakeUps(postgres -> TestWorker.deaf());
    try (Worker worker = setup.start()) {
      for (int i = 1; i <= 3; i++) {
        setup.enqueue();
        setup.events.await(TicketEvent.Succeeded.class, i);
      }
      assertThat(worker.healthy()).isTrue();
    }
  }

  @Test
  @DisplayName(
      "A20: a retry that is due soon does not wait for the poll interval, nor for a NOTIFY")
  void retryWhenDue() {
    setup
        .settings(settings -> settings.withPollInterval(NEVER))
        .wakeUps(postgres -> TestWorker.deaf())
        .handler(
            ticket ->
                switch (ticket.attempt()) {
                  case 1 -> HandlerResult.failed(error(Category.CODE_ERROR));
                  case 2 ->
                      HandlerResult.failed(
                          error(Category.TRANSIENT).withRetryAfter(Duration.ofMillis(150)));
                  default -> HandlerResult.done(null);
                });
    long id = setup.enqueue();
    database.run(
        "UPDATE holdfast.tickets SET retry_strategy = '{\"categories\": {\"transient\":"
            + " {\"base_delay\": \"10ms\"}}}' WHERE id = ?",
        id);

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(worker.running()).isZero();
    }
    assertThat(database.outcomes(id)).containsExactly("failed", "failed", "succeeded");
    assertThat(
            database.value(
                "SELECT min(started_at) FILTER (WHERE attempt = 3) - min(finished_at) FILTER"
                    + " (WHERE attempt = 2) >= interval '150 ms' FROM holdfast.ticket_attempts"
                    + " WHERE ticket_id = ?",
                id))
        .isEqualTo("t");
  }

  private static ErrorReport error(Category category) {
    return ErrorReport.ofText("it broke").withStatedCategory(category);
  }

  @Test
  @DisplayName("a ticket that was deferred before is claimed when it is due")
  void deferred() {
    setup.settings(settings -> settings.withPollInterval(NEVER));
    database.run(
        "INSERT INTO holdfast.tickets (kind, retry_after) VALUES (?, clock_timestamp() +"
            + " interval '200 milliseconds')",
        setup.kind);
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(worker.running()).isZero();
    }
  }

  @Test
  @DisplayName("A45: a backoff survives the worker: it is in the row")
  void backoffSurvives() {
    long id = setup.enqueue();
    setup.handler(
        ticket ->
            ticket.ticketId() == id && ticket.attempt() == 1
                ? HandlerResult.failed(error(Category.TRANSIENT))
                : HandlerResult.done(null));
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.RetryScheduled.class);
      assertThat(worker.running()).isZero();
    }
    String due = database.ticket(id).get("retry_after");
    long other = setup.enqueue();
    try (Worker worker = setup.start()) {
      // It has claimed what there was, and not this one.
      setup.events.await(TicketEvent.Succeeded.class, other);
      assertThat(worker.running()).isZero();
    }
    assertThat(database.ticket(id))
        .containsEntry("state", "ready")
        .containsEntry("retry_after", due);
    database.run("UPDATE holdfast.tickets SET retry_after = now() WHERE id = ?", id);
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, id);
      assertThat(worker.running()).isZero();
    }
  }

  @Test
  @DisplayName("A44: two workers share the tickets without running one twice")
  void twoWorkers() {
    List<Long> ids = setup.enqueue(500);
    setup.settings(settings -> settings.withConcurrency(20));
    try (HikariDataSource pool = database.pool(10);
        Worker one = setup.dataSource(pool).start();
        Worker other = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 500);
      assertThat(one.id()).isNotEqualTo(other.id());
    }
    assertThat(setup.events.all(TicketEvent.Claimed.class)).hasSize(500);
    assertThat(setup.events.all(TicketEvent.Succeeded.class))
        .extracting(TicketEvent::ticketId)
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  @DisplayName("several pollers of one worker share its slots without running a ticket twice")
  void severalPollers() {
    setup.enqueue(300);
    setup.settings(settings -> settings.withPollers(4).withConcurrency(7).withClaimBatch(3));
    try (HikariDataSource pool = database.pool(10);
        Worker worker = setup.dataSource(pool).start()) {
      setup.events.await(TicketEvent.Succeeded.class, 300);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(setup.events.all(TicketEvent.Claimed.class)).hasSize(300);
  }

  @Test
  @DisplayName("a busy worker asks for no notifications, an idle one does")
  void wakeUpSwitch() throws Exception {
    LinkedBlockingQueue<Boolean> switched = new LinkedBlockingQueue<>();
    setup
        .settings(settings -> settings.withConcurrency(1))
        .registry(registry -> new SwitchWatcher(registry, switched));
    setup.enqueue(20);

    try (Worker worker = setup.start()) {
      assertThat(switched.poll(30, TimeUnit.SECONDS)).isFalse();
      assertThat(switched.poll(30, TimeUnit.SECONDS)).isTrue();
      setup.events.await(TicketEvent.Succeeded.class, 20);
      assertThat(
              database.value("SELECT wants_wakeup FROM holdfast.workers WHERE id = ?", worker.id()))
          .isEqualTo("t");
    }
  }

  private static final class SwitchWatcher extends RegistryWrapper {
    private final LinkedBlockingQueue<Boolean> switched;

    SwitchWatcher(WorkerRegistry registry, LinkedBlockingQueue<Boolean> switched) {
      super(registry);
      this.switched = switched;
    }

    @Override
    public void wantsWakeUp(String workerId, boolean wanted) {
      super.wantsWakeUp(workerId, wanted);
      switched.add(wanted);
    }
  }
}
