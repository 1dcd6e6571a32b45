package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything at once: handlers that end in all ways, people who cancel, hold and release, killed
 * backends, expired leases, workers that come and go. The seed decides what is done to whom, though
 * not which of two wins.
 */
@WithDatabase
@Timeout(120)
@Order(1) // it takes long
class ChaosIT {
  private static final int TICKETS = 300;
  private static final int STEPS = 250;

  private final TicketDatabase database;
  private final TestWorker setup;
  private final List<Worker> workers = new ArrayList<>();
  private volatile boolean calm;

  ChaosIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup =
        new TestWorker(this.database)
            .settings(
                settings ->
                    settings
                        .withConcurrency(12)
                        .withLease(Duration.ofSeconds(2), Duration.ofMillis(300))
                        .withDrainTimeout(Duration.ZERO))
            .retry(TestWorker.retries(2));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 20261121})
  @DisplayName("a ticket is never lost and never finished twice, whatever happens around it")
  void chaos(long seed) throws Exception {
    setup.handler(ticket -> work(ticket, new Random(seed ^ ticket.ticketId() * 31)));
    try (HikariDataSource pool = database.pool(20)) {
      setup.dataSource(pool);
      TicketDatabase people = new TicketDatabase(pool);
      List<Long> ids = new ArrayList<>(setup.enqueue(TICKETS));
      workers.add(setup.start());
      workers.add(setup.start());

      rage(new Random(seed), ids, people);
      calm = true;
      settle();

      workers.forEach(Worker::close);
      checkLedger(ids);
    } finally {
      workers.forEach(Worker::close);
    }
  }

  private HandlerResult work(TicketContext ticket, Random random) throws Exception {
    if (calm) {
      return HandlerResult.done(null);
    }
    for (int i = 0; i < ticket.attempt(); i++) {
      random.nextInt();
    }
    if (random.nextInt(3) == 0) {
      // A job that takes its time, and ends early when it is interrupted.
      new CountDownLatch(1).await(random.nextInt(60), TimeUnit.MILLISECONDS);
    }
    return switch (random.nextInt(10)) {
      case 0, 1 -> HandlerResult.failed(error(Category.TRANSIENT));
      case 2 -> HandlerResult.failed(error(Category.CODE_ERROR));
      case 3 -> throw new IllegalStateException("no");
      case 4 -> HandlerResult.done("not json");
      case 5 -> throw new StackOverflowError("pretended");
      default -> HandlerResult.done("{\"attempt\": " + ticket.attempt() + "}");
    };
  }

  private static ErrorReport error(Category category) {
    return ErrorReport.ofText("no").withStatedCategory(category);
  }

  /** One step after the other, each on tickets that the seed picks. */
  private void rage(Random random, List<Long> ids, TicketDatabase people) throws Exception {
    for (int step = 0; step < STEPS; step++) {
      long id = ids.get(random.nextInt(ids.size()));
      switch (random.nextInt(14)) {
        case 0, 1 -> tryOut(people, "SELECT holdfast.cancel_ticket(?, 'ann', 'no')", id);
        case 2, 3, 4 -> tryOut(people, "SELECT holdfast.hold_ticket(?, 'ann', 'wait')", id);
        case 5, 6, 7 -> tryOut(people, "SELECT holdfast.release_ticket(?, 'ann')", id);
        case 8 -> tryOut(people, "UPDATE holdfast.tickets SET priority = 5 WHERE id = ?", id);
        case 9 ->
            tryOut(
                people,
                "UPDATE holdfast.leases SET expires_at = now() - interval '1 s' WHERE ? = ANY"
                    + " (ids)",
                id);
        case 10 -> killBackends(random.nextInt(4) + 1);
        case 11 -> {
          if (step % 3 == 0) {
            replaceWorker();
          }
        }
        default -> ids.addAll(setup.enqueue(3));
      }
    }
  }

  private void replaceWorker() {
    try {
      workers.add(setup.start());
      workers.removeFirst().close();
    } catch (DatabaseUnavailableException e) {
      // Its backend was killed while it registered: such a process ends at once, and another comes.
      assertThat(workers).isNotEmpty();
    }
  }

  /** What a person tries may be refused, or their own connection killed. */
  private static void tryOut(TicketDatabase people, String sql, long id) {
    try {
      people.run(sql, id);
    } catch (AssertionError e) {
      assertThat(e).hasCauseInstanceOf(java.sql.SQLException.class);
    }
  }

  private void killBackends(int count) {
    database.run(
        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE datname ="
            + " current_database() AND pid <> pg_backend_pid() ORDER BY md5(pid::text) LIMIT ?) p",
        count);
  }

  /** Releases what is held until every ticket has come to its end. */
  private void settle() {
    while (true) {
      int events = setup.events.size();
      database.run(
          "SELECT holdfast.release_ticket(id, 'ann') FROM holdfast.tickets WHERE state ="
              + " 'on_hold'");
      if (database.number(
              "SELECT count(*) FROM holdfast.ticket_base WHERE state NOT IN ('done', 'cancelled')")
          == 0) {
        return;
      }
      setup.events.awaitMoreThan(events);
    }
  }

  private void checkLedger(List<Long> ids) {
    database.assertNoTicketIsLost();
    assertThat(
            database.rows(
                """
                SELECT b.id, b.state, count(*) FILTER (WHERE a.outcome = 'succeeded') AS successes
                FROM holdfast.ticket_base b LEFT JOIN holdfast.ticket_attempts a ON a.ticket_id = b.id
                GROUP BY b.id
                HAVING count(*) FILTER (WHERE a.outcome = 'succeeded')
                    <> CASE WHEN b.state = 'done' THEN 1 ELSE 0 END
                  OR count(DISTINCT a.attempt) <> count(a.attempt)
                """))
        .isEmpty();
    List<Long> done =
        database
            .column(
                "SELECT id FROM holdfast.ticket_base WHERE state = 'done' AND kind = ?", setup.kind)
            .stream()
            .map(Long::valueOf)
            .toList();
    assertThat(setup.events.all(TicketEvent.Succeeded.class))
        .extracting(TicketEvent::ticketId)
        .containsExactlyInAnyOrderElementsOf(done);
    assertThat(
            database.number("SELECT count(*) FROM holdfast.ticket_base WHERE kind = ?", setup.kind))
        .isEqualTo(ids.size());
    assertThat(done).hasSizeGreaterThan(TICKETS / 2);
    assertThat(workers).allSatisfy(worker -> assertThat(worker.running()).isZero());
  }
}
