package dev.holdfast.testing;

import dev.holdfast.Holdfast;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.schedule.PostgresScheduleDesk;
import dev.holdfast.postgres.schedule.PostgresScheduleTicks;
import dev.holdfast.postgres.testing.TestClock;
import dev.holdfast.postgres.testing.TestQueueState;
import dev.holdfast.postgres.testing.TestServer;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.Worker;
import dev.holdfast.worker.WorkerSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A queue for the tests of a program: real tickets in a real PostgreSQL, which are worked when the
 * test says so, and a time that moves when the test says so.
 *
 * <pre>{@code
 * @AutoClose static final TestHoldfast holdfast = TestHoldfast.embedded()
 *     .handler("email", ticket -> HandlerResult.done("{\"sent\": true}"));
 *
 * @Test void sendsTheMail() {
 *   long id = holdfast.enqueue(NewTicket.ofKind("email"));
 *   holdfast.drain();
 *   holdfast.ticket(id).isDone().hasResult("{\"sent\": true}");
 * }
 * }</pre>
 *
 * <p>Needs no test framework. Nothing runs between two calls of {@link #drain}. For one test at a
 * time; methods are to be called by one thread.
 */
public final class TestHoldfast implements AutoCloseable {
  private final @Nullable TestServer server;
  private final DataSource dataSource;
  private final Map<String, TicketHandler> handlers = new ConcurrentHashMap<>();
  private final TestQueueState state;
  private final TestClock clock;
  private boolean workflows;
  private RetrySettings retry = withoutJitter(RetrySettings.defaults());

  private TestHoldfast(@Nullable TestServer server, DataSource dataSource) {
    this.server = server;
    this.dataSource = dataSource;
    Holdfast.migrate(dataSource);
    this.state = new TestQueueState(dataSource);
    this.clock = new TestClock(dataSource);
  }

  /**
   * Makes one with a PostgreSQL of its own, whose data is deleted at the end. It takes a few
   * seconds to start, so keep one for a class, or for all tests.
   *
   * @throws dev.holdfast.ticket.HoldfastException that says what to do if it cannot start
   */
  public static TestHoldfast embedded() {
    TestServer server = TestServer.start();
    boolean made = false;
    try {
      TestHoldfast holdfast = new TestHoldfast(server, server.dataSource());
      made = true;
      return holdfast;
    } finally {
      if (!made) {
        server.close();
      }
    }
  }

  /**
   * Makes one in the schema {@code holdfast} of your own database; the schema is made or updated.
   */
  public static TestHoldfast on(DataSource dataSource) {
    return new TestHoldfast(null, dataSource);
  }

  /** Works the tickets of a kind, from the next {@link #drain} on. */
  public TestHoldfast handler(String kind, TicketHandler handler) {
    handlers.put(kind, handler);
    return this;
  }

  /**
   * Works workflows too, from the next {@link #drain} on; the designs of their steps need handlers
   * of their kinds.
   */
  public TestHoldfast workflows() {
    workflows = true;
    return this;
  }

  /**
   * Sets the retry settings; the default is {@link RetrySettings#defaults}. Jitter is left out, so
   * that delays are exact.
   */
  public TestHoldfast retry(RetrySettings settings) {
    this.retry = withoutJitter(settings);
    return this;
  }

  private static RetrySettings withoutJitter(RetrySettings settings) {
    return new RetrySettings(
        settings.categories(),
        settings.maxDelay(),
        0,
        settings.sameErrorLimit(),
        settings.crashLimit(),
        settings.counting());
  }

  /** Returns the database, for your program and for a look at the tables. */
  public DataSource dataSource() {
    return dataSource;
  }

  public PostgresTicketInbox inbox() {
    return Holdfast.inbox(dataSource);
  }

  public TicketDesk desk() {
    return Holdfast.desk(dataSource);
  }

  public TicketReader reader() {
    return Holdfast.reader(dataSource);
  }

  /** Returns the desk of schedules. Needs {@code com.cronutils:cron-utils}. */
  public ScheduleDesk schedules() {
    return new PostgresScheduleDesk(dataSource, "holdfast");
  }

  /** Enqueues a ticket; returns its id. */
  public long enqueue(NewTicket ticket) {
    return inbox().enqueue(ticket);
  }

  /**
   * Works all tickets that are due, and the tickets that these add, with the {@link #handler} of
   * their kinds; returns when nothing is due any more. Retries that are delayed wait for {@link
   * #advance}.
   *
   * @return how many attempts were made
   * @throws AssertionError if there is still work after a minute, or when the thread is interrupted
   */
  public long drain() {
    return drain(Duration.ofMinutes(1));
  }

  /**
   * Works like {@link #drain()}.
   *
   * @throws AssertionError if there is still work after that time, or when the thread is
   *     interrupted
   */
  public long drain(Duration atMost) {
    long before = state.attempts();
    state.keepUp();
    Set<String> kinds = kinds();
    if (kinds.isEmpty()) {
      return 0;
    }
    try (Worker worker = worker()) {
      long deadline = System.nanoTime() + atMost.toNanos();
      do {
        if (!state.awaitIdle(kinds, deadline)) {
          throw new AssertionError(whyNotIdle(atMost));
        }
        state.keepUp();
      } while (state.hasWork(kinds));
    }
    return state.attempts() - before;
  }

  private String whyNotIdle(Duration atMost) {
    // A pool lends no connection to an interrupted thread, so it cannot see what is left.
    return Thread.currentThread().isInterrupted()
        ? "the drain was interrupted while there was still work"
        : "there is still work after " + atMost.toMillis() + " ms: " + state.describe();
  }

  private Set<String> kinds() {
    Set<String> kinds = new HashSet<>(handlers.keySet());
    if (workflows) {
      kinds.addAll(List.of("workflow", "human"));
    }
    return kinds;
  }

  private Worker worker() {
    var builder =
        Holdfast.worker(dataSource)
            .retry(retry)
            .settings(
                WorkerSettings.defaults()
                    .withConcurrency(10)
                    .withPollInterval(Duration.ofMillis(20))
                    .withDrainTimeout(Duration.ofSeconds(10)));
    handlers.forEach(builder::handler);
    if (workflows) {
      builder.workflows();
    }
    return builder.start();
  }

  /**
   * Lets time pass: delayed tickets and retries, deadlines, cool-downs and schedules come nearer by
   * this time. Schedules make their tickets on the way, each at its own time, as they do in
   * production; nothing is worked before the next {@link #drain}.
   */
  public TestHoldfast advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("time does not go back: " + time);
    }
    Duration left = time;
    if (clock.hasSchedules()) {
      clock.meetSchedules();
      left = makeScheduled(time);
    }
    clock.pass(left);
    state.keepUp();
    return this;
  }

  /** Makes the scheduled tickets of a time; returns the rest of it after the last one. */
  private Duration makeScheduled(Duration time) {
    PostgresScheduleTicks ticks = new PostgresScheduleTicks(dataSource, "holdfast", clock::ahead);
    Duration left = time;
    tick(ticks);
    for (Optional<Duration> next = clock.untilSchedule();
        next.isPresent() && next.get().compareTo(left) <= 0;
        next = clock.untilSchedule()) {
      clock.pass(next.get());
      left = left.minus(next.get());
      tick(ticks);
    }
    return left;
  }

  private static void tick(PostgresScheduleTicks ticks) {
    while (ticks.tick(Duration.ofSeconds(1)).isZero()) {
      // There are more that are due.
    }
  }

  /** Returns assertions about a ticket. */
  public TicketAssert ticket(long id) {
    return new TicketAssert(reader(), id);
  }

  /**
   * Deletes all tickets, batches, schedules and cool-downs. Designs and settings stay, and the used
   * parts of limits come back.
   */
  public TestHoldfast clear() {
    state.clear();
    clock.reset();
    return this;
  }

  /** Stops the embedded PostgreSQL and deletes its data; leaves another database alone. */
  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
