package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.PoisonPayload;
import dev.holdfast.testing.Refusals;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Issue 20, 1.2: what the database refuses of one ticket stops that one and no other. */
@Tag("slow")
@WithDatabase
@Timeout(90)
class RefusedResultIT {
  private static final int TICKETS = 20;

  private final TicketDatabase database;
  private final Refusals refusals;
  private final TestWorker setup;
  private final CountDownLatch all = new CountDownLatch(TICKETS);

  RefusedResultIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.refusals = new Refusals(this.database);
    this.setup = new TestWorker(this.database);
  }

  @AfterEach
  void letThrough() {
    refusals.end();
  }

  /** They end together, so that they are stored together. */
  private List<Long> twentyThatEndTogether() {
    setup
        .settings(
            settings ->
                settings
                    .withConcurrency(TICKETS)
                    .withPollInterval(Duration.ofMillis(200))
                    .withRescueInterval(Duration.ofMillis(500)))
        .handler(
            ticket -> {
              all.countDown();
              all.await();
              return HandlerResult.done("{\"paid\": \"dearly\"}");
            });
    return setup.enqueue(TICKETS);
  }

  private static List<Long> without(List<Long> ids, long bad) {
    return ids.stream().filter(id -> id != bad).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "XX001", "XX000", "P0001", "53100", "57014", "22003", "23514", "25001", "28000", "3D000",
        "42P01", "42501", "54000", "55000", "0A000", "HV000", "HF404", "HF409", "ZZ999"
      })
  @DisplayName("20.2: a refused result is held in the database's words, the other 19 are stored")
  void everyClass(String sqlState) {
    List<Long> ids = twentyThatEndTogether();
    long bad = ids.get(7);
    refusals.refuse(bad, "NEW.state = 'done'", sqlState);

    try (Worker worker = setup.start()) {
      setup.events.awaitEnded(TICKETS);
      assertThat(worker.running()).isZero();
    }

    assertThat(without(ids, bad)).map(database::state).containsOnly("done");
    assertThat(database.ticket(bad)).containsEntry("state", "on_hold");
    assertThat(database.ticket(bad).get("hold_reason"))
        .contains("cannot be stored", "sector 7 is unreadable");
    assertThat(database.ticket(bad).get("error")).contains("{\"paid\": \"dearly\"}");
    assertThat(setup.events.all(TicketEvent.Held.class))
        .singleElement()
        .extracting(TicketEvent.Held::reason)
        .isEqualTo("poison");
    database.assertNoTicketIsLost();
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "57P01", "57P03", "53300", "25006"})
  @DisplayName("20.2: an outage is waited out, and nothing is held for it")
  void outages(String sqlState) {
    List<Long> ids = twentyThatEndTogether();
    refusals.refuseFirst(2, ids.get(7), sqlState);

    try (Worker worker = setup.start()) {
      setup.events.awaitEnded(TICKETS);
      assertThat(worker.running()).isZero();
    }

    assertThat(ids).map(database::state).containsOnly("done");
    assertThat(ids).allSatisfy(id -> assertThat(database.outcomes(id)).hasSize(1));
  }

  @Test
  @DisplayName("20.2: a result at which the driver itself breaks is held, also at the second try")
  void brokenDriver() {
    AtomicInteger tries = new AtomicInteger();
    setup
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finishes, Collection<Long> closedLeases) {
                    if (tries.incrementAndGet() <= 2) {
                      throw new IllegalStateException("the driver broke");
                    }
                    return super.finish(finishes, closedLeases);
                  }
                })
        .handler(ticket -> HandlerResult.done("{\"paid\": \"dearly\"}"));
    long id = setup.enqueue();

    try (Worker worker = setup.start()) {
      setup.events.awaitEnded(1);
      assertThat(worker.running()).isZero();
    }

    assertThat(database.ticket(id)).containsEntry("state", "on_hold");
    assertThat(database.ticket(id).get("hold_reason")).contains("the driver broke");
  }

  @ParameterizedTest
  @ValueSource(strings = {"room", "right"})
  @DisplayName(
      "20.2: a ticket of which nothing at all can be stored is let go, then rescued; one for which"
          + " there is no room or no right waits for it, and is not run again")
  void nothingGetsThrough(String wanting) {
    setup.settings(s -> s.withLease(Duration.ofSeconds(2), Duration.ofMillis(500)));
    List<Long> ids = twentyThatEndTogether();
    long bad = ids.get(8);
    refusals.refuse(bad, "true", "XX001");
    long waiting = ids.get(7);
    if (wanting.equals("room")) {
      refusals.refuseAlso(waiting, "53100");
    } else {
      refusals.refuseForWantOfRight(waiting);
    }

    try (Worker worker = setup.start()) {
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> without(without(ids, bad), waiting).stream().allMatch(id -> is(id, "done")));
      await().atMost(Duration.ofSeconds(40)).until(() -> worker.running() == 1);
      assertThat(database.state(bad)).isEqualTo("in_progress");
      refusals.end();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> is(bad, "done") && (is(waiting, "done") || is(waiting, "on_hold")));
    }
    // What comes between its store and the hold in its stead is used for the hold.
    assertThat(database.outcomes(waiting)).hasSize(1);
    // A worker that is heard of has let it go; one that a busy machine kept silent crashed.
    assertThat(database.outcomes(bad)).hasSize(2).last().isEqualTo("succeeded");
    assertThat(database.outcomes(bad).getFirst()).isIn("given_back", "crashed");
  }

  @Test
  @DisplayName(
      "20.1: no result of a Java handler grows in the database: long numbers are strings, one of 17"
          + " million characters or with a NUL is held, and the others are stored")
  void resultsThatGrow() {
    List<String> results =
        List.of(PoisonPayload.UNREADABLE, longText(), "{\"a\": \"\\u0000\"}", "{\"paid\": 1e3}");
    setup
        .settings(settings -> settings.withConcurrency(TICKETS))
        .handler(
            ticket ->
                HandlerResult.done(results.get((int) ticket.claimed().id() % results.size())));
    List<Long> ids = setup.enqueue(results.size());

    try (Worker worker = setup.start()) {
      setup.events.awaitEnded(results.size());
      assertThat(worker.running()).isZero();
    }

    for (long id : ids) {
      switch ((int) id % results.size()) {
        case 0 ->
            assertThat(database.ticket(id).get("result"))
                .startsWith("{\"a\": [\"1e131071\", ")
                .hasSizeLessThan(200_000);
        case 1 -> assertThat(database.ticket(id).get("hold_reason")).contains("16777216");
        case 2 -> assertThat(database.ticket(id).get("hold_reason")).contains("\\u0000");
        default -> assertThat(database.ticket(id)).containsEntry("result", "{\"paid\": 1000}");
      }
    }
    assertThat(database.number(CAUSES, ids.getFirst(), ids.getLast())).isEqualTo(2);
    database.assertNoTicketIsLost();
  }

  private static final String CAUSES =
      "SELECT count(DISTINCT error_fingerprint) FROM holdfast.tickets"
          + " WHERE id BETWEEN ? AND ? AND error_fingerprint <> 'refused-result'";

  private static String longText() {
    return "{\"a\": \"" + "a".repeat(17_000_000) + "\"}";
  }

  @Test
  @DisplayName("20.2: a drain stores all that can be stored")
  void drain() throws Exception {
    List<Long> ids = twentyThatEndTogether();
    long bad = ids.get(7);
    refusals.refuse(bad, "true", "P0001");

    Worker worker = setup.start();
    all.await();
    worker.close();

    assertThat(without(ids, bad)).map(database::state).containsOnly("done");
    assertThat(database.state(bad)).isEqualTo("in_progress");
  }

  @Test
  @DisplayName("20.2: a lease that the database will not renew costs the other leases nothing")
  void heartbeat() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    setup
        .settings(
            s ->
                s.withClaimBatch(1)
                    .withLease(Duration.ofSeconds(6), Duration.ofSeconds(1))
                    .withRescueInterval(Duration.ofMinutes(5)))
        .handler(
            ticket -> {
              both.countDown();
              try {
                go.await();
              } catch (InterruptedException e) {
                stopped.countDown();
                throw e;
              }
              return HandlerResult.done(null);
            });
    List<Long> ids = setup.enqueue(2);
    refusals.refuseRenewal(ids.get(0), "XX001");

    try (Worker worker = setup.start()) {
      both.await();
      stopped.await();
      await().atMost(Duration.ofSeconds(10)).until(worker::healthy);
      assertThat(database.number(RENEWED, ids.get(1))).isEqualTo(1);
      go.countDown();
      setup.events.await(TicketEvent.Succeeded.class, ids.get(1));
    }
    assertThat(database.state(ids.get(1))).isEqualTo("done");
  }

  private static final String RENEWED =
      "SELECT count(*) FROM holdfast.leases WHERE ? = ANY (ids) AND expires_at > now()";

  private boolean is(long id, String state) {
    return database.state(id).equals(state);
  }
}
