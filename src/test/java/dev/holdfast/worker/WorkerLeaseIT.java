package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.Heartbeat;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.telemetry.TicketMetrics;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@Timeout(120)
class WorkerLeaseIT {
  private static final String CRASHES = "SELECT crash_count FROM holdfast.tickets WHERE id = ?";

  private static final Duration LEASE = Duration.ofSeconds(2);

  private final TicketDatabase database;
  private final TestWorker setup;
  private final CountDownLatch interrupted = new CountDownLatch(1);

  WorkerLeaseIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup =
        new TestWorker(this.database)
            .settings(
                settings ->
                    settings
                        .withLease(LEASE, Duration.ofMillis(200))
                        .withConcurrency(1)
                        .withRescueInterval(Duration.ofHours(1))
                        .withDrainTimeout(Duration.ZERO));
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  /** Waits to be interrupted in its first attempt; the second succeeds. */
  private HandlerResult work(TicketContext ticket) throws InterruptedException {
    if (ticket.attempt() == 1) {
      try {
        new CountDownLatch(1).await();
      } finally {
        interrupted.countDown();
      }
    }
    return HandlerResult.done(null);
  }

  private String leaseLeft(long id) {
    return database.value("SELECT lease_expires_at > now() FROM holdfast.tickets WHERE id = ?", id);
  }

  @Test
  @DisplayName("a running ticket keeps its lease by heartbeats for longer than the lease")
  void renewed() {
    long id = setup.enqueue();
    AtomicInteger beats = new AtomicInteger();
    CountDownLatch manyBeats = new CountDownLatch(12);
    setup
        .handler(
            ticket -> {
              manyBeats.await();
              return HandlerResult.done(null);
            })
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Heartbeat heartbeat(
                      String workerId, Collection<Long> leaseNos, Duration lease) {
                    Heartbeat heartbeat = super.heartbeat(workerId, leaseNos, lease);
                    if (!heartbeat.renewed().isEmpty()) {
                      beats.incrementAndGet();
                      manyBeats.countDown();
                    }
                    return heartbeat;
                  }
                });

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(beats.get()).isGreaterThanOrEqualTo(12);
    assertThat(database.outcomes(id)).containsExactly("succeeded");
  }

  @Test
  @DisplayName("rule 5: failing heartbeats stop claims and interrupt the job before its lease ends")
  void failingHeartbeats() throws Exception {
    long id = setup.enqueue();
    AtomicBoolean down = new AtomicBoolean();
    AtomicInteger claimsWhileDown = new AtomicInteger();
    setup
        .handler(this::work)
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Heartbeat heartbeat(
                      String workerId, Collection<Long> leaseNos, Duration lease) {
                    if (down.get()) {
                      throw new DatabaseUnavailableException("pretended", null);
                    }
                    return super.heartbeat(workerId, leaseNos, lease);
                  }
                });

    try (Worker worker = setup.start()) {
      setup.awaitBegin(id);
      down.set(true);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      // The job ended before anybody else may take the ticket.
      String left = leaseLeft(id);
      setup.events.await(TicketEvent.GivenBack.class);
      assertThat(left).isIn("t", "null");
      assertThat(worker.healthy()).isFalse();
      assertThat(setup.events.all(TicketEvent.Claimed.class)).hasSize(1);
      // Its lease was still there: it is neither lost nor a crash, and it is worked again.
      assertThat(database.state(id)).isEqualTo("ready");
      assertThat(database.ticket(id)).containsEntry("retry_count", "0");
      down.set(false);
      setup.events.await(TicketEvent.Succeeded.class);
    }
    assertThat(claimsWhileDown).hasValue(0);
    assertThat(database.outcomes(id)).containsExactly("given_back", "succeeded");
  }

  @Test
  @DisplayName("rule 5: a heartbeat that ends by an error of the program stops claims at once, too")
  void brokenHeartbeat() throws Exception {
    CountDownLatch beats = new CountDownLatch(2);
    TestWorker longLease =
        new TestWorker(database)
            .handler(this::work)
            .queue(
                queue ->
                    new QueueWrapper(queue) {
                      @Override
                      public Heartbeat heartbeat(
                          String workerId, Collection<Long> leaseNos, Duration lease) {
                        beats.countDown();
                        throw new NoClassDefFoundError("dev/holdfast/queue/Heartbeat");
                      }
                    });

    try (Worker worker = longLease.start()) {
      assertThat(beats.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.healthy()).isFalse();
    }
  }

  @Test
  @DisplayName("rule 5: a heartbeat that hangs is no better than one that fails")
  void hangingHeartbeat() throws Exception {
    long id = setup.enqueue();
    AtomicBoolean hanging = new AtomicBoolean();
    CountDownLatch hang = new CountDownLatch(1);
    setup
        .handler(this::work)
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Heartbeat heartbeat(
                      String workerId, Collection<Long> leaseNos, Duration lease) {
                    if (hanging.get()) {
                      awaitUninterrupted(hang);
                    }
                    return super.heartbeat(workerId, leaseNos, lease);
                  }
                });

    try (Worker worker = setup.start()) {
      setup.awaitBegin(id);
      hanging.set(true);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      setup.events.await(TicketEvent.GivenBack.class);
      assertThat(worker.healthy()).isFalse();
      assertThat(database.state(id)).isEqualTo("ready");
      hanging.set(false);
      hang.countDown();
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(database.outcomes(id)).containsExactly("given_back", "succeeded");
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName(
      "A49: a failure whose lease is not current any more changes and tells nothing, is logged as"
          + " an error and counted")
  void staleFailure() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    TicketMetrics metrics = new TicketMetrics(registry);
    CountDownLatch fail = new CountDownLatch(1);
    long id = setup.enqueue();
    setup
        .listeners(metrics, setup.events)
        .settings(settings -> settings.withLease(Duration.ofMinutes(1), Duration.ofSeconds(20)))
        .queue(WorkerLeaseIT::unheard)
        .handler(
            ticket -> {
              if (ticket.attempt() == 1) {
                awaitInSpiteOfAll(fail);
                throw new IOException("HTTP 503 from attempt 1");
              }
              return HandlerResult.done("2");
            });

    try (LogLines log = LogLines.named("dev.holdfast.postgres.engine.FinishWriter");
        Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Claimed.class);
      expireAndRescue(id, worker);
      String decisions = "SELECT count(*) FROM holdfast.ticket_activity WHERE ticket_id = " + id;
      long before = database.number(decisions);
      fail.countDown();
      setup.events.await(TicketEvent.StaleResultDropped.class);

      // Tests beside this one have workers, too.
      assertThat(log.of(Level.ERROR))
          .filteredOn(line -> line.contains("HTTP 503 from attempt 1"))
          .singleElement()
          .asString()
          .contains("ticket " + id + ": ");
      assertThat(registry.scrape()).contains("\nholdfast_results_stale_total 1.0\n");
      // The rescue may have been the worker's own, which it tells.
      assertThat(setup.events.all(TicketEvent.RetryScheduled.class))
          .allMatch(TicketEvent.RetryScheduled::crashed);
      assertThat(database.number(decisions)).isEqualTo(before);
      database.run("UPDATE holdfast.tickets SET retry_after = now() WHERE id = ?", id);
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(worker.running()).isZero();
    }
    assertThat(database.outcomes(id)).containsExactly("crashed", "succeeded");
  }

  @Test
  @DisplayName(
      "a ticket that is rescued from a worker that died of another one is counted as rescued, too")
  void rescuedInnocent() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    AtomicBoolean rescued = new AtomicBoolean();
    setup
        .listeners(new TicketMetrics(registry), setup.events)
        .settings(settings -> settings.withRescueInterval(TestWorker.SOON))
        .handler(this::work)
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> rescue(int limit) {
                    return rescued.getAndSet(true)
                        ? List.of()
                        : List.of(new FinishResult.GivenBack(17));
                  }
                });

    try (Worker worker = setup.start()) {
      assertThat(setup.events.await(TicketEvent.GivenBack.class))
          .isEqualTo(new TicketEvent.GivenBack(17, true));
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(registry.scrape())
        .contains("\nholdfast_leases_expired_total 1.0\n")
        .contains("\nholdfast_tickets_given_back_total 0.0\n");
  }

  /** Also where the worker hears that the lease is gone, and interrupts. */
  private static void awaitInSpiteOfAll(CountDownLatch signal) {
    boolean given = false;
    while (!given) {
      try {
        signal.await();
        given = true;
      } catch (InterruptedException e) {
        // Whoever does not listen fails later.
      }
    }
  }

  @Test
  @DisplayName("A51: a worker whose lease was rescued drops its late result and goes on")
  void rescuedMeanwhile() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    long id = setup.enqueue();
    setup
        .settings(settings -> settings.withLease(Duration.ofMinutes(1), Duration.ofSeconds(20)))
        .queue(WorkerLeaseIT::unheard)
        .handler(
            ticket -> {
              if (ticket.attempt() == 1) {
                finish.await();
              }
              return HandlerResult.done("" + ticket.attempt());
            });

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Claimed.class);
      expireAndRescue(id, worker);
      finish.countDown();
      setup.events.await(TicketEvent.StaleResultDropped.class);
      assertThat(database.ticket(id)).containsEntry("state", "ready").containsEntry("result", null);
      database.run("UPDATE holdfast.tickets SET retry_after = now() WHERE id = ?", id);
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(worker.running()).isZero();
    }
    assertThat(database.ticket(id)).containsEntry("result", "2");
    assertThat(database.outcomes(id)).containsExactly("crashed", "succeeded");
  }

  private void expireAndRescue(long id, Worker worker) {
    database.run(
        "UPDATE holdfast.leases SET expires_at = now() - interval '1 s' WHERE worker_id = ?",
        worker.id());
    dev.holdfast.testing.TestQueue.on(database).queue().rescue(10);
    // The worker's own rescue may be at it.
    await().untilAsserted(() -> assertThat(database.number(CRASHES, id)).isEqualTo(1));
  }

  /** The worker believes in its leases, and the database hears nothing of its heartbeats. */
  private static TicketQueue unheard(TicketQueue queue) {
    return new QueueWrapper(queue) {
      @Override
      public Heartbeat heartbeat(String workerId, Collection<Long> leaseNos, Duration lease) {
        return new Heartbeat(Set.copyOf(leaseNos), Set.of(), Map.of(), true);
      }
    };
  }

  @Test
  @DisplayName("A50: a worker rescues what another one left, and tells of it as a crash")
  void rescuesOthers() {
    dev.holdfast.testing.TestQueue dead =
        new dev.holdfast.testing.TestQueue(
            dev.holdfast.testing.TestQueue.on(database).queue(), database, setup.kind);
    long id = setup.enqueue();
    dead.expire(dead.claim());
    setup
        .settings(settings -> settings.withRescueInterval(TestWorker.SOON))
        .handler(ticket -> HandlerResult.done(null));

    try (Worker worker = setup.start()) {
      TicketEvent.RetryScheduled event = setup.events.await(TicketEvent.RetryScheduled.class);
      assertThat(event.ticketId()).isEqualTo(id);
      assertThat(event.crashed()).isTrue();
      assertThat(event.delay()).isEqualTo(Duration.ofSeconds(10));
      assertThat(worker.running()).isZero();
    }
  }

  @Test
  @DisplayName(
      "A46: nothing is claimed before the first heartbeat fails and after it, until a good one")
  void noClaimWhileUnhealthy() throws Exception {
    CountDownLatch twoBeats = new CountDownLatch(2);
    AtomicBoolean down = new AtomicBoolean(true);
    AtomicInteger claims = new AtomicInteger();
    setup
        // Nothing but the recovery will wake the poller.
        .settings(settings -> settings.withPollInterval(Duration.ofHours(1)))
        .wakeUps(postgres -> TestWorker.deaf())
        .handler(ticket -> HandlerResult.done(null))
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Heartbeat heartbeat(
                      String workerId, Collection<Long> leaseNos, Duration lease) {
                    twoBeats.countDown();
                    if (down.get()) {
                      throw new DatabaseUnavailableException("pretended", null);
                    }
                    return super.heartbeat(workerId, leaseNos, lease);
                  }

                  @Override
                  public Claim claim(ClaimRequest request) {
                    claims.incrementAndGet();
                    return super.claim(request);
                  }
                });

    try (Worker worker = setup.start()) {
      twoBeats.await();
      int before = claims.get();
      long id = setup.enqueue();
      assertThat(worker.healthy()).isFalse();
      assertThat(claims.get() - before).isLessThanOrEqualTo(1);
      assertThat(database.state(id)).isEqualTo("ready");
      down.set(false);
      setup.events.await(TicketEvent.Succeeded.class);
    }
  }

  @Test
  @DisplayName("a worker whose row is gone registers again at its next heartbeat, and only then")
  void registersAgain() throws Exception {
    CountDownLatch twoBeats = new CountDownLatch(2);
    AtomicInteger registrations = new AtomicInteger();
    CountDownLatch again = new CountDownLatch(2);
    setup
        .handler(ticket -> HandlerResult.done(null))
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Heartbeat heartbeat(
                      String workerId, Collection<Long> leaseNos, Duration lease) {
                    twoBeats.countDown();
                    return super.heartbeat(workerId, leaseNos, lease);
                  }
                })
        .registry(
            registry ->
                new RegistryWrapper(registry) {
                  @Override
                  public void register(Registration registration) {
                    super.register(registration);
                    registrations.incrementAndGet();
                    again.countDown();
                  }
                });

    try (Worker worker = setup.start()) {
      assertThat(twoBeats.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(registrations).hasValue(1);
      // As a restored backup from before its start has it.
      database.run("DELETE FROM holdfast.workers WHERE id = ?", worker.id());

      assertThat(again.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(
              database.value(
                  "SELECT state FROM holdfast.workers WHERE wants_wakeup AND id = ?", worker.id()))
          .isEqualTo("running");
      assertThat(worker.healthy()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "A51: an attempt whose lease number is given once more, as after a restore, is stopped and"
          + " stores nothing")
  void numberGivenTwice(boolean leaseMissed) throws Exception {
    CountDownLatch oldEnds = new CountDownLatch(1);
    CountDownLatch newEnds = new CountDownLatch(1);
    CountDownLatch newRuns = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    long id = setup.enqueue();
    setup
        .settings(settings -> settings.withConcurrency(2))
        .queue(queue -> leaseMissed ? queue : believing(queue))
        .handler(
            ticket -> {
              if (runs.incrementAndGet() == 1) {
                awaitInterrupt(interrupted);
                awaitInSpiteOfAll(oldEnds);
                return HandlerResult.done("\"old\"");
              }
              newRuns.countDown();
              awaitInSpiteOfAll(newEnds);
              return HandlerResult.done("\"new\"");
            });

    try (Worker worker = setup.start()) {
      setup.awaitBegin(id);
      long lease = database.number("SELECT max(id) FROM holdfast.leases");
      database.run("DELETE FROM holdfast.leases");
      if (leaseMissed) {
        assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      }
      database.run("SELECT setval('holdfast.lease_no_seq', ?, false)", lease);
      database.run(
          "INSERT INTO holdfast.ready (priority, created_at, id, queue, kind) SELECT priority,"
              + " created_at, id, queue, kind FROM holdfast.ticket_base WHERE id = ?",
          id);

      setup.events.await(TicketEvent.Claimed.class, 2);
      assertThat(database.number("SELECT max(id) FROM holdfast.leases")).isEqualTo(lease);
      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      oldEnds.countDown();
      setup.events.await(TicketEvent.StaleResultDropped.class);
      assertThat(newRuns.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.running()).isEqualTo(1);
      newEnds.countDown();
      setup.events.await(TicketEvent.Succeeded.class);
    }
    assertThat(database.ticket(id)).containsEntry("result", "\"new\"");
    assertThat(database.outcomes(id)).containsExactly("succeeded");
  }

  /** Its heartbeats find every lease. */
  private static QueueWrapper believing(TicketQueue queue) {
    return new QueueWrapper(queue) {
      @Override
      public Heartbeat heartbeat(String workerId, Collection<Long> leaseNos, Duration lease) {
        super.heartbeat(workerId, leaseNos, lease);
        return new Heartbeat(Set.copyOf(leaseNos), Set.of(), Map.of(), true);
      }
    };
  }

  private static void awaitInterrupt(CountDownLatch interrupted) {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupted.countDown();
    }
  }
}
