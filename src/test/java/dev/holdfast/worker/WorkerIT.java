package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.telemetry.TicketMetrics;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@WithDatabase
@Timeout(120)
@EverySetup
class WorkerIT {
  private final TicketDatabase database;
  private final TestWorker setup;

  WorkerIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup = new TestWorker(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private static ErrorReport error(Category category) {
    return ErrorReport.ofText("it broke").withStatedCategory(category);
  }

  @Test
  @DisplayName("A2: a success is stored with its result, and told after it is stored")
  void success() {
    long id = setup.enqueue();
    setup.handler(ticket -> HandlerResult.success("{\"id\": " + ticket.ticketId() + "}"));

    try (Worker worker = setup.start()) {
      TicketEvent.Succeeded event = setup.events.await(TicketEvent.Succeeded.class);
      assertThat(event.ticketId()).isEqualTo(id);
      assertThat(event.state()).isEqualTo(TicketState.NEEDS_REVIEW);
      assertThat(event.isRetry()).isFalse();
      assertThat(database.ticket(id))
          .containsEntry("state", "needs_review")
          .containsEntry("result", "{\"id\": " + id + "}");
      assertThat(
              database.value(
                  "SELECT worker_id FROM holdfast.ticket_attempts WHERE ticket_id = ?", id))
          .isEqualTo(worker.id());
    }
    assertThat(setup.events.all()).hasSize(2);
    assertThat(setup.events.all().getFirst()).isInstanceOf(TicketEvent.Claimed.class);
  }

  @Test
  @DisplayName("a ticket that expires before any worker starts it is counted as held, too")
  void expired() {
    long id = database.enqueue("nobody-works-this");
    database.run(
        "INSERT INTO holdfast.ticket_deadlines VALUES (?, now() - interval '1 second')", id);
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    setup.listeners(new TicketMetrics(registry)).handler(ticket -> HandlerResult.done(null));

    try (Worker worker = setup.start()) {
      await().until(() -> database.state(id).equals("on_hold"));
      await()
          .untilAsserted(
              () -> assertThat(registry.scrape()).contains("\nholdfast_tickets_held_total 1.0\n"));
      assertThat(worker.running()).isZero();
    }
  }

  @Test
  @DisplayName("A20, A30, A65: a code_error is run again at once; the events say what happened")
  void retryAtOnce() {
    long id = setup.enqueue();
    setup.handler(
        ticket ->
            ticket.attempt() == 1
                ? HandlerResult.failed(error(Category.CODE_ERROR))
                : HandlerResult.done(null));

    try (Worker worker = setup.start()) {
      TicketEvent.RetryScheduled retry = setup.events.await(TicketEvent.RetryScheduled.class);
      assertThat(retry.ticketId()).isEqualTo(id);
      assertThat(retry.category()).isEqualTo(Category.CODE_ERROR);
      assertThat(retry.delay()).isZero();
      assertThat(retry.attemptsRemaining()).isEqualTo(1);
      assertThat(retry.wasRetry()).isFalse();
      assertThat(setup.events.await(TicketEvent.Succeeded.class).isRetry()).isTrue();
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(database.state(id)).isEqualTo("done");
    assertThat(database.outcomes(id)).containsExactly("failed", "succeeded");
  }

  @Test
  @DisplayName("A67: an API timeout is retried with backoff")
  void timeout() {
    long id = setup.enqueue();
    setup.handler(
        ticket -> {
          throw new IOException("API error: request timeout after 30 s");
        });

    try (Worker worker = setup.start()) {
      TicketEvent.RetryScheduled retry = setup.events.await(TicketEvent.RetryScheduled.class);
      assertThat(retry.category()).isEqualTo(Category.TRANSIENT);
      assertThat(retry.delay()).isEqualTo(Duration.ofSeconds(30));
      assertThat(retry.attemptsRemaining()).isEqualTo(3);
      assertThat(worker.running()).isZero();
    }
    assertThat(database.state(id)).isEqualTo("ready");
  }

  @Test
  @DisplayName(
      "A68, A35: a syntax error gets one retry, then the ticket is on hold, and it is told")
  void hold() {
    long id = setup.enqueue();
    AtomicInteger runs = new AtomicInteger();
    setup.handler(
        ticket -> {
          throw new IllegalStateException(
              "SyntaxError: Unexpected token " + runs.incrementAndGet());
        });

    try (Worker worker = setup.start()) {
      TicketEvent.Held held = setup.events.await(TicketEvent.Held.class);
      assertThat(held.ticketId()).isEqualTo(id);
      assertThat(held.reason()).isEqualTo("max_retries");
      assertThat(held.category()).isEqualTo(Category.CODE_ERROR);
      assertThat(held.holdReason()).isEqualTo("Max retries exceeded: code_error");
      assertThat(held.wasRetry()).isTrue();
      assertThat(worker.running()).isZero();
    }
    assertThat(runs).hasValue(2);
    assertThat(database.state(id)).isEqualTo("on_hold");
  }

  /** A failure that resists being looked at. */
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("nor this");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("not even this");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("nothing");
    }
  }

  @Test
  @DisplayName("a worker that was started, or closed, is refused in words when it is started again")
  void startedTwice() {
    setup.handler(ticket -> HandlerResult.done(null));
    Worker worker = setup.start();
    assertThatThrownBy(worker::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was started before");
    worker.close();
    assertThatThrownBy(worker::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("make another one");
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int endless(int depth) {
    return endless(depth + 1) + 1;
  }

  @SuppressWarnings("NullAway")
  private static HandlerResult nothing() {
    return null;
  }

  static Stream<Arguments> badHandlers() {
    return Stream.of(
        bad(
            "an exception",
            ticket -> {
              throw new Exception("checked");
            }),
        bad("a stack overflow", ticket -> HandlerResult.success("" + endless(0))),
        bad(
            "out of memory",
            ticket -> {
              throw new OutOfMemoryError("pretended");
            }),
        bad(
            "a missing class",
            ticket -> {
              throw new NoClassDefFoundError("dev/Missing");
            }),
        bad(
            "an assertion",
            ticket -> {
              throw new AssertionError("no");
            }),
        bad(
            "an exception that cannot be printed",
            ticket -> {
              throw new Unspeakable();
            }),
        bad(
            "an interrupt of its own",
            ticket -> {
              Thread.currentThread().interrupt();
              throw new InterruptedException("who?");
            }),
        bad(
            "a null message",
            ticket -> {
              throw new RuntimeException((String) null);
            }),
        bad("null", ticket -> nothing()),
        bad("a result that is no JSON", ticket -> HandlerResult.success("not json")),
        bad("a result with NUL", ticket -> HandlerResult.done("\"\\u0000\"")),
        bad("a failure with NUL", ticket -> HandlerResult.failed(ErrorReport.ofText("\0 \uD83D"))));
  }

  private static Arguments bad(String name, TicketHandler handler) {
    return Arguments.of(name, handler);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badHandlers")
  @DisplayName("A46: whatever a handler does is a failure of its own attempt and of nothing else")
  void badHandler(String name, TicketHandler bad) {
    setup.settings(settings -> settings.withConcurrency(1)).retry(TestWorker.retries(0));
    List<Long> ids = setup.enqueue(3);
    setup.handler(
        ticket -> ticket.ticketId() == ids.get(1) ? bad.handle(ticket) : HandlerResult.done("1"));

    try (Worker worker = setup.start()) {
      setup.events.awaitOutcomes(3);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(ids).map(database::state).containsExactly("done", "on_hold", "done");
    assertThat(database.outcomes(ids.get(1))).containsExactly("failed");
  }

  @Test
  @DisplayName("A46: a refused result in a batch of many does not harm the others")
  void refusedAmongMany() throws Exception {
    setup.settings(settings -> settings.withConcurrency(50)).retry(TestWorker.retries(0));
    List<Long> ids = setup.enqueue(50);
    CountDownLatch all = new CountDownLatch(50);
    setup.handler(
        ticket -> {
          // They end together, so that they are stored together.
          all.countDown();
          all.await();
          return HandlerResult.done(ids.indexOf(ticket.ticketId()) % 10 == 3 ? "not json" : "1");
        });

    try (Worker worker = setup.start()) {
      setup.events.awaitOutcomes(50);
      assertThat(worker.running()).isZero();
    }
    assertThat(ids)
        .allSatisfy(
            id ->
                assertThat(database.state(id))
                    .isEqualTo(ids.indexOf(id) % 10 == 3 ? "on_hold" : "done"));
    assertThat(database.ticket(ids.get(3)).get("error")).contains("the result cannot be stored");
  }

  @Test
  @DisplayName(
      "A55: listeners that throw, errors and undeclared checked exceptions included, harm nobody")
  void throwingListener() {
    setup.settings(settings -> settings.withConcurrency(1));
    setup.listeners(
        event -> {
          throw new IllegalStateException("a bad listener");
        },
        event -> {
          throw new NoClassDefFoundError("a worse listener");
        },
        event -> WorkerIT.<RuntimeException>throwUndeclared(new IOException("as from Kotlin")),
        setup.events);
    List<Long> ids = setup.enqueue(5);
    setup.handler(ticket -> HandlerResult.done(null));

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 5);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(ids).map(database::state).containsOnly("done");
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> void throwUndeclared(Exception checked) throws E {
    throw (E) checked;
  }

  @Test
  @DisplayName("A47: no more tickets are in progress than there are slots")
  void slots() throws Exception {
    setup.settings(settings -> settings.withConcurrency(2));
    setup.enqueue(10);
    CountDownLatch go = new CountDownLatch(1);
    setup.handler(
        ticket -> {
          go.await();
          return HandlerResult.done(null);
        });

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Claimed.class, 2);
      assertThat(
              database.number(
                  "SELECT count(*) FROM holdfast.tickets WHERE state = 'in_progress' AND kind = ?",
                  setup.kind))
          .isEqualTo(2);
      assertThat(worker.running()).isEqualTo(2);
      go.countDown();
      setup.events.await(TicketEvent.Succeeded.class, 10);
    }
  }

  @Test
  @DisplayName("a worker has its row: running, then stopped; a new start is a new worker")
  void row() {
    setup.handler(ticket -> HandlerResult.done(null));
    String first;
    try (Worker worker = setup.start()) {
      first = worker.id();
      assertThat(
              database.rows(
                  "SELECT state, wants_wakeup::text AS wakeup, concurrency::text AS concurrency,"
                      + " kinds[1] AS kind, queues::text AS queues FROM holdfast.workers"
                      + " WHERE id = ?",
                  first))
          .singleElement()
          .satisfies(
              row ->
                  assertThat(row)
                      .containsEntry("state", "running")
                      .containsEntry("wakeup", "true")
                      .containsEntry("concurrency", "4")
                      .containsEntry("kind", setup.kind)
                      .containsEntry("queues", null));
    }
    assertThat(
            database.value(
                "SELECT state || wants_wakeup FROM holdfast.workers WHERE id = ?", first))
        .isEqualTo("stoppedfalse");
    try (Worker second = setup.start()) {
      assertThat(second.id()).isNotEqualTo(first);
    }
  }
}
