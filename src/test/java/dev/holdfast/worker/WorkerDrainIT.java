package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.Heartbeat;
import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class WorkerDrainIT {
  private final TicketDatabase database;
  private final TestWorker setup;

  WorkerDrainIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup = new TestWorker(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private static void never() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  /** Waits without heeding interrupts. */
  private static void stubbornly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // That is the point.
      }
    }
  }

  private static Duration closing(Worker worker) {
    long start = System.nanoTime();
    worker.close();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  @DisplayName(
      "A52: a handler that is still tidying up when its ticket is about to be given back is"
          + " interrupted once more")
  void hurried() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    long id = setup.enqueue();
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ZERO))
        .handler(
            ticket -> {
              begun.countDown();
              try {
                never();
              } catch (InterruptedException e) {
                never();
              } finally {
                ended.countDown();
              }
              return HandlerResult.done(null);
            });
    Worker worker = setup.start();
    begun.await();

    assertThat(closing(worker)).isLessThan(Duration.ofSeconds(5));

    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(database.state(id)).isEqualTo("ready");
  }

  @Test
  @DisplayName(
      "A52: the end waits a little for a heartbeat under way, whose failure is no news then")
  void lastHeartbeat() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    setup
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Heartbeat heartbeat(
                      String workerId, Collection<Long> leaseNos, Duration lease) {
                    begun.countDown();
                    stubbornly(goOn);
                    throw new DatabaseUnavailableException("the pool is closed", null);
                  }
                })
        .registry(
            registry ->
                new RegistryWrapper(registry) {
                  @Override
                  public void update(String workerId, State state) {
                    super.update(workerId, state);
                    if (state == State.STOPPED) {
                      stopped.countDown();
                    }
                  }
                })
        .handler(ticket -> HandlerResult.done(null));
    try (LogLines log = LogLines.named("dev.holdfast.worker.Heartbeater").downTo(Level.DEBUG)) {
      Worker worker = setup.start();
      begun.await();
      Thread closing = Thread.ofPlatform().start(worker::close);
      stopped.await();
      assertThat(closing.join(Duration.ofMillis(300))).as("waits for the heartbeat").isFalse();
      assertThat(closing.join(Duration.ofSeconds(10))).as("not for ever").isTrue();
      goOn.countDown();
      // Workers of tests beside this one have heartbeats, too.
      await()
          .until(
              () ->
                  Stream.of(Level.DEBUG, Level.WARN)
                      .flatMap(level -> log.of(level).stream())
                      .anyMatch(line -> line.contains("the pool is closed")));
      assertThat(log.of(Level.WARN)).noneMatch(line -> line.contains("the pool is closed"));
    } finally {
      goOn.countDown();
    }
  }

  @Test
  @DisplayName("A52: tracing that throws wherever it can hinders neither claims nor the drain")
  void throwingTraces() throws InterruptedException {
    setup
        .settings(settings -> settings.withDrainTimeout(TestWorker.SOON))
        .tracing(
            (tickets, startedNanos) -> {
              if (tickets.getFirst().attempt() == 1) {
                throw new IllegalStateException("no claim is traced");
              }
              return ticket ->
                  finish -> {
                    throw new IllegalStateException("no end is traced");
                  };
            })
        .retry(TestWorker.retries(1));
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch goOn = new CountDownLatch(1);
    setup.handler(
        ticket -> {
          if (ticket.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          running.countDown();
          stubbornly(goOn);
          return HandlerResult.done(null);
        });
    List<Long> ids = setup.enqueue(2);
    try {
      Worker worker = setup.start();
      running.await();
      worker.close();
      assertThat(ids).map(database::outcomes).containsOnly(List.of("failed", "given_back"));
    } finally {
      goOn.countDown();
    }
  }

  @Test
  @DisplayName("A52: running tickets may finish; nothing more is claimed")
  void finish() throws Exception {
    List<Long> ids = setup.enqueue(2);
    CountDownLatch closing = new CountDownLatch(1);
    setup
        .settings(settings -> settings.withConcurrency(1).withDrainTimeout(Duration.ofSeconds(30)))
        .registry(
            registry ->
                new RegistryWrapper(registry) {
                  @Override
                  public void update(String workerId, State state) {
                    closing.countDown();
                    super.update(workerId, state);
                  }
                })
        .handler(
            ticket -> {
              // Goes on when the drain has begun.
              closing.await();
              return HandlerResult.done(null);
            });
    Worker worker = setup.start();
    setup.events.await(TicketEvent.Claimed.class);

    Duration closed = closing(worker);

    assertThat(closed).isLessThan(Duration.ofSeconds(20));
    assertThat(ids).map(database::state).containsExactly("done", "ready");
    assertThat(setup.events.all(TicketEvent.Succeeded.class)).hasSize(1);
    assertThat(database.value("SELECT state FROM holdfast.workers WHERE id = ?", worker.id()))
        .isEqualTo("stopped");
  }

  @Test
  @DisplayName("A52: what one ticket does at the drain fails: all may finish in spite of it")
  void failingAction() throws Exception {
    List<Long> ids = setup.enqueue(2);
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch told = new CountDownLatch(2);
    setup.handler(
        ticket -> {
          ticket.onDrain(
              () -> {
                told.countDown();
                throw new IllegalStateException("no good place to end");
              });
          running.countDown();
          told.await();
          // Goes on when the drain has begun: this one is run at once.
          ticket.onDrain(
              () -> {
                throw new IllegalStateException("no good place either");
              });
          return HandlerResult.done(null);
        });
    Worker worker = setup.start();
    running.await();

    worker.close();

    assertThat(ids).map(database::state).containsExactly("done", "done");
  }

  @Test
  @DisplayName("A52: what is unfinished is given back, and retry_count is as before")
  void giveBack() {
    long id = setup.enqueue();
    database.run("UPDATE holdfast.tickets SET retry_count = 2 WHERE id = ?", id);
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ZERO))
        .handler(
            ticket -> {
              never();
              return HandlerResult.done(null);
            });
    Worker worker = setup.start();
    setup.events.await(TicketEvent.Claimed.class);

    worker.close();

    assertThat(setup.events.all(TicketEvent.GivenBack.class)).hasSize(1);
    assertThat(database.ticket(id))
        .containsEntry("state", "ready")
        .containsEntry("retry_count", "2")
        .containsEntry("error", null)
        .containsEntry("crash_count", "0");
    assertThat(database.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName("A52: what succeeds in spite of the interrupt is not done again")
  void successAfterInterrupt() throws Exception {
    long id = setup.enqueue();
    CountDownLatch running = new CountDownLatch(1);
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ZERO))
        .handler(
            ticket -> {
              try {
                running.countDown();
                never();
              } catch (InterruptedException e) {
                assertThat(ticket.isCancelled()).isTrue();
              }
              return HandlerResult.done("\"paid for\"");
            });
    Worker worker = setup.start();
    running.await();

    worker.close();

    assertThat(database.ticket(id))
        .containsEntry("state", "done")
        .containsEntry("result", "\"paid for\"");
  }

  /** With a handler that ignores interrupts and runs; the drain has no time. */
  private Worker startStubborn(CountDownLatch release, @Nullable String result)
      throws InterruptedException {
    CountDownLatch running = new CountDownLatch(1);
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ZERO))
        .handler(
            ticket -> {
              running.countDown();
              stubbornly(release);
              return HandlerResult.done(result);
            });
    Worker worker = setup.start();
    running.await();
    return worker;
  }

  @Test
  @DisplayName("A52: a handler that ignores the interrupt is left behind, its ticket given back")
  void stubborn() throws Exception {
    long id = setup.enqueue();
    CountDownLatch release = new CountDownLatch(1);
    Worker worker = startStubborn(release, null);

    Duration closed = closing(worker);
    release.countDown();

    assertThat(closed).isLessThan(Duration.ofSeconds(5));
    assertThat(database.state(id)).isEqualTo("ready");
    assertThat(database.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName("rule 5: with a database that hangs a worker still stops within five seconds")
  void hangingDatabase() throws InterruptedException {
    setup.enqueue();
    CountDownLatch finishing = new CountDownLatch(1);
    CountDownLatch hang = new CountDownLatch(1);
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ZERO))
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finishes, Collection<Long> closedLeases) {
                    finishing.countDown();
                    stubbornly(hang);
                    return super.finish(finishes, closedLeases);
                  }

                  @Override
                  public Claim claim(ClaimRequest request) {
                    Claim claim = super.claim(request);
                    if (claim.tickets().isEmpty()) {
                      stubbornly(hang);
                    }
                    return claim;
                  }
                })
        .registry(
            registry ->
                new RegistryWrapper(registry) {
                  @Override
                  public void update(String workerId, State state) {
                    stubbornly(hang);
                  }
                })
        .handler(ticket -> HandlerResult.done(null));
    Worker worker = setup.start();
    finishing.await();

    Duration closed = closing(worker);
    hang.countDown();

    assertThat(closed).isLessThan(Duration.ofSeconds(5));
    // It was on its way; nobody tears the database from its threads.
    setup.events.await(TicketEvent.Succeeded.class);
  }

  @Test
  @DisplayName("A52: a claim that answers after the stop is given back at once")
  void lateClaim() throws Exception {
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    setup
        // The poller has the only slot: a notification, which claims past the wrapper, finds none.
        .settings(settings -> settings.withConcurrency(1).withDrainTimeout(Duration.ZERO))
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Claim claim(ClaimRequest request) {
                    claiming.countDown();
                    stubbornly(answer);
                    return super.claim(request);
                  }

                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finishes, Collection<Long> closedLeases) {
                    List<FinishResult> results = super.finish(finishes, closedLeases);
                    returned.countDown();
                    return results;
                  }
                })
        .handler(ticket -> HandlerResult.done(null));
    Worker worker = setup.start();
    claiming.await();
    long id = setup.enqueue();

    worker.close();
    answer.countDown();
    returned.await();

    assertThat(database.state(id)).isEqualTo("ready");
    assertThat(database.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName(
      "A52: a claim at a notification that answers after the stop is given back before the worker"
          + " has stopped")
  void lateClaimAtNotification() throws Exception {
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    setup
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public Claim claim(ClaimRequest request) {
                    return new Claim(List.of(), Optional.empty());
                  }
                })
        .wakeUps(wakeUps -> new SlowWakeUps(wakeUps, claimed, stopped))
        .handler(ticket -> HandlerResult.done(null));
    Worker worker = setup.start();
    long id = setup.enqueue();
    claimed.await();

    worker.close();
    stopped.countDown();

    assertThat(database.state(id)).isEqualTo("ready");
    assertThat(database.outcomes(id)).containsExactly("given_back");
  }

  /** A claim at a notification answers half a second late, or when the worker has stopped. */
  private record SlowWakeUps(WakeUps wakeUps, CountDownLatch claimed, CountDownLatch stopped)
      implements ForwardingWakeUps {
    @Override
    public void start(Listener listener) {
      wakeUps.start(
          new Listener() {
            @Override
            public void ready(String queue, TicketClaims here) {
              // What came before anybody listened is claimed here, too.
              listener.ready("default", request -> late(here.claim(request)));
            }

            @Override
            public void revoked() {
              listener.revoked();
            }
          });
    }

    private Claim late(Claim claim) {
      if (!claim.tickets().isEmpty()) {
        claimed.countDown();
        try {
          stopped.await(500, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return claim;
    }
  }

  @Test
  @DisplayName(
      "A52: a worker that finds no thread in the middle of its start gives back what it has claimed"
          + " by then, and is gone")
  void halfStarted() {
    OutOfMemoryError noThread = new OutOfMemoryError("unable to create native thread");
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ZERO))
        .wakeUps(wakeUps -> new LastThread(wakeUps, setup, noThread))
        .handler(
            ticket -> {
              never();
              return HandlerResult.done(null);
            });
    Worker worker = setup.build();

    assertThatThrownBy(worker::start).isSameAs(noThread);

    assertThat(worker.running()).isZero();
    assertThat(database.value("SELECT state FROM holdfast.workers WHERE id = ?", worker.id()))
        .isEqualTo("stopped");
    assertThat(
            database.value(
                "SELECT outcome FROM holdfast.ticket_attempts WHERE worker_id = ?", worker.id()))
        .isEqualTo("given_back");
  }

  /** Listens, hears of a ticket, which is claimed, and leaves no thread to whoever comes next. */
  private record LastThread(WakeUps wakeUps, TestWorker setup, OutOfMemoryError noThread)
      implements ForwardingWakeUps {
    @Override
    public void start(Listener listener) {
      wakeUps.start(listener);
      await().until(wakeUps::proven);
      setup.awaitBegin(setup.enqueue());
      throw noThread;
    }
  }

  @Test
  @DisplayName("A52: an interrupted drain is short and gives back what runs; the interrupt is kept")
  void interruptedDrain() {
    long id = setup.enqueue();
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ofMinutes(10)))
        .handler(
            ticket -> {
              never();
              return HandlerResult.done(null);
            });
    Worker worker = setup.start();
    setup.events.await(TicketEvent.Claimed.class);

    Thread.currentThread().interrupt();
    Duration closed = closing(worker);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(closed).isLessThan(Duration.ofSeconds(10));
    assertThat(database.state(id)).isEqualTo("ready");
    assertThat(database.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName("A52: a drain that is interrupted again and again leaves no handler unguarded")
  void interruptedAgain() throws Exception {
    List<Long> ids = setup.enqueue(2);
    CountDownLatch running = new CountDownLatch(2);
    Thread closing = Thread.currentThread();
    setup
        .settings(settings -> settings.withDrainTimeout(Duration.ofMinutes(10)))
        .handler(
            ticket -> {
              try {
                running.countDown();
                never();
              } catch (InterruptedException e) {
                // The drain waits for its last words now.
                closing.interrupt();
              }
              return HandlerResult.done("\"paid for\"");
            });
    Worker worker = setup.start();
    running.await();

    closing.interrupt();
    worker.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(ids).map(database::state).containsOnly("done");
  }

  @Test
  @DisplayName(
      "A52: a handler or listener that closes its own worker is refused at once, and results kept")
  void fromWithin() {
    long id = setup.enqueue();
    CompletableFuture<Worker> started = new CompletableFuture<>();
    List<String> refused = new CopyOnWriteArrayList<>();
    Runnable close =
        () -> {
          try {
            started.join().close();
            refused.add("closed");
          } catch (IllegalStateException e) {
            refused.add(e.getMessage());
          }
        };
    setup
        .listeners(event -> close.run(), setup.events)
        .handler(
            ticket -> {
              close.run();
              return HandlerResult.done("\"paid for\"");
            });

    try (Worker worker = setup.start()) {
      started.complete(worker);
      setup.events.await(TicketEvent.Succeeded.class, id);
    }

    assertThat(refused)
        .hasSize(3)
        .allSatisfy(words -> assertThat(words).contains("another thread"));
    assertThat(database.ticket(id))
        .containsEntry("state", "done")
        .containsEntry("result", "\"paid for\"");
  }

  @Test
  @DisplayName("A52: what a handler that was left behind returns later is in the log")
  void lastWords() throws Exception {
    long id = setup.enqueue();
    CountDownLatch release = new CountDownLatch(1);
    Worker worker = startStubborn(release, "\"paid for\"");

    try (LogLines log = new LogLines(TicketRun.class)) {
      worker.close();
      release.countDown();
      await()
          .untilAsserted(
              () ->
                  assertThat(log.of(Level.WARN))
                      .anyMatch(
                          line ->
                              line.contains("ticket " + id + " ") && line.contains("paid for")));
    }
  }

  @Test
  @DisplayName("A52: the result of a handler that ends when its worker is gone is in the log")
  void lateResult() throws Exception {
    setup.settings(s -> s.withLease(Duration.ofSeconds(3), Duration.ofMillis(200)));
    long id = setup.enqueue();
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    setup.handler(
        ticket -> {
          try {
            never();
          } catch (InterruptedException e) {
            stopped.countDown();
          }
          stubbornly(release);
          return HandlerResult.done("\"paid for\"");
        });
    Worker worker = setup.start();
    setup.awaitBegin(id);
    // Its lease is lost: the worker does not wait for it. A heartbeat may renew it before the
    // rescue.
    do {
      database.run(
          "UPDATE holdfast.leases SET expires_at = now() - interval '1 s' WHERE ? = ANY (ids)", id);
    } while (!stopped.await(1, TimeUnit.SECONDS));

    try (LogLines log = new LogLines(Completers.class)) {
      worker.close();
      release.countDown();
      await()
          .untilAsserted(
              () ->
                  assertThat(log.of(Level.WARN))
                      .anyMatch(
                          line ->
                              line.contains("ticket " + id + " ") && line.contains("paid for")));
    }
  }

  @Test
  @DisplayName("closing twice, and closing what was never started, is harmless")
  void twice() {
    setup.handler(ticket -> HandlerResult.done(null));
    Worker worker = setup.start();
    worker.close();
    worker.close();
    setup.build().close();

    assertThat(worker.running()).isZero();
  }

  @Test
  @DisplayName(
      "A52: what a handler does at the drain may throw even what no log takes: the drain goes on")
  void untold() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    long id = setup.enqueue();
    setup.handler(
        ticket -> {
          ticket.onDrain(
              () -> {
                told.countDown();
                throw new EventsTest.Untold();
              });
          begun.countDown();
          told.await();
          return HandlerResult.done(null);
        });
    Worker worker = setup.start();
    begun.await();
    worker.close();
    assertThat(database.state(id)).isEqualTo("done");
  }
}
