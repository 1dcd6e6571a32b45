package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.holdfast.failure.Category;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class FencingIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  FencingIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private void assertStaleUnder(long id, long lease) {
    Map<String, @Nullable String> before = database.row(id);
    String attempts = String.valueOf(database.outcomes(id));
    String activity = activity(id);
    FinishResult stale = new FinishResult.Stale(id);

    assertThat(queue.fail(id, lease, Category.TRANSIENT)).isEqualTo(stale);
    assertThat(
            queue.queue().retryOrFailTicket(id, lease, TestQueue.failure(Category.UNKNOWN, "late")))
        .isEqualTo(stale);
    assertThat(queue.giveBack(id, lease)).isEqualTo(stale);
    assertThat(queue.succeed(id, lease)).isEqualTo(stale);

    assertThat(database.row(id)).isEqualTo(before);
    assertThat(String.valueOf(database.outcomes(id))).isEqualTo(attempts);
    assertThat(activity(id)).isEqualTo(activity);
  }

  private String activity(long id) {
    return database.value("SELECT count(*) FROM holdfast.ticket_activity WHERE ticket_id = ?", id);
  }

  @Test
  @DisplayName("A51: after a rescue nothing of the old lease counts, though the same worker has it")
  void afterRescue() {
    long id = queue.enqueue();
    long old = queue.claim();
    queue.expire(old);
    queue.queue().rescue(10);
    queue.makeDue(id);
    assertThat(
            queue
                .queue()
                .heartbeat(TestQueue.WORKER, List.of(old), Duration.ofMinutes(1))
                .renewed())
        .isEmpty();
    assertStaleUnder(id, old);

    long current = queue.claim();
    assertThat(current).isGreaterThan(old);
    assertStaleUnder(id, old);

    assertThat(queue.succeed(id, current))
        .isEqualTo(new FinishResult.Succeeded(id, TicketState.NEEDS_REVIEW));
  }

  @Test
  @DisplayName("A51: a hold and a release in between leave the old lease worthless")
  void afterRelease() {
    long id = queue.enqueue();
    long old = queue.claim();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", id);
    assertStaleUnder(id, old);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", id);
    long current = queue.claim();

    assertThat(
            queue
                .queue()
                .finish(
                    List.of(new Finish.Succeeded(id, old, null, Review.HUMAN, null)), List.of()))
        .containsExactly(new FinishResult.Stale(id));
    assertThat(database.state(id)).isEqualTo("in_progress");
    assertThat(queue.succeed(id, current)).isInstanceOf(FinishResult.Succeeded.class);
  }

  @Test
  @DisplayName("A51: another worker cannot renew the lease")
  void heartbeatOfAnother() {
    long id = queue.enqueue();
    long lease = queue.claim();
    String expiry = database.ticket(id).get("lease_expires_at");

    assertThat(queue.queue().heartbeat("other", List.of(lease), Duration.ofHours(1)).renewed())
        .isEmpty();
    assertThat(database.ticket(id)).containsEntry("lease_expires_at", expiry);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ready", "on_hold", "needs_review", "done", "cancelled"})
  @DisplayName("A3: success and failure of a ticket that is not in progress change nothing")
  void notInProgress(String state) {
    long id =
        database.number(
            "INSERT INTO holdfast.tickets (kind, state) VALUES (?, ?) RETURNING id",
            queue.kind(),
            state);

    assertStaleUnder(id, database.number("SELECT nextval('holdfast.lease_no_seq')"));
  }

  @Test
  @DisplayName("A49: an unknown ticket changes nothing, answers so, and is logged as an error")
  void unknown() {
    try (LogLines log = new LogLines(FinishWriter.class)) {
      FinishResult result =
          queue.queue().retryOrFailTicket(-5, 17, TestQueue.failure(Category.UNKNOWN, "x"));

      assertThat(result).isEqualTo(new FinishResult.Stale(-5));
      assertThat(log.of(Level.ERROR))
          .containsOnlyOnce(
              "ticket -5: a failure is dropped, for the ticket is unknown or not in progress under"
                  + " lease 17 any more: x");
    }
    assertThat(
            database.number("SELECT count(*) FROM holdfast.ticket_activity WHERE ticket_id = -5"))
        .isZero();
  }

  @RepeatedTest(5)
  @DisplayName("A48: two threads fail the same ticket: retry_count moves by exactly 1")
  void twoThreads() throws Exception {
    long id = queue.enqueue();
    long lease = queue.claim();

    List<FinishResult> results =
        AtOnce.run(
            () -> queue.fail(id, lease, Category.TRANSIENT),
            () ->
                queue
                    .queue()
                    .retryOrFailTicket(id, lease, TestQueue.failure(Category.TRANSIENT, "two")));

    assertThat(results).hasAtLeastOneElementOfType(FinishResult.Retried.class);
    assertThat(database.row(id)).containsEntry("retry_count", "1");
    assertThat(database.outcomes(id)).containsExactly("failed");
    assertThat(activity(id)).isEqualTo("1");
  }

  @RepeatedTest(5)
  @DisplayName("A48: a success and a failure at once: exactly one counts")
  void successAgainstFailure() throws Exception {
    long id = queue.enqueue();
    long lease = queue.claim();

    List<FinishResult> results =
        AtOnce.run(() -> queue.fail(id, lease, Category.TRANSIENT), () -> queue.succeed(id, lease));

    assertThat(results).filteredOn(FinishResult.Stale.class::isInstance).hasSize(1);
    assertThat(database.outcomes(id)).hasSize(1);
  }

  @Test
  @DisplayName("A48: a finish that is reported again counts once and gets the same kind of answer")
  void repeated() {
    List<Long> ids = queue.enqueue(4);
    List<ClaimedTicket> claimed = queue.claim(4);
    long lease = claimed.getFirst().lease().no();
    database.run(
        "UPDATE holdfast.tickets SET retry_strategy = '{\"categories\": {\"unknown\":"
            + " {\"max_retries\": 0}}}' WHERE id = ?",
        ids.get(3));
    List<Finish> finishes =
        List.of(
            new Finish.Succeeded(ids.get(0), lease, "1", Review.HUMAN, null),
            new Finish.Failed(ids.get(1), lease, TestQueue.failure(Category.TRANSIENT, "x")),
            new Finish.GivenBack(ids.get(2), lease),
            new Finish.Failed(ids.get(3), lease, TestQueue.failure(Category.UNKNOWN, "y")));

    List<FinishResult> first = queue.queue().finish(finishes, List.of(lease));
    List<FinishResult> again = queue.queue().finish(finishes, List.of(lease));

    assertThat(first)
        .hasExactlyElementsOfTypes(
            FinishResult.Succeeded.class,
            FinishResult.Retried.class,
            FinishResult.GivenBack.class,
            FinishResult.Held.class);
    assertThat(again).isEqualTo(first);
    assertThat(database.row(ids.get(1))).containsEntry("retry_count", "1");
    assertThat(ids).allSatisfy(id -> assertThat(database.outcomes(id)).hasSize(1));
  }

  @Test
  @DisplayName("A51: an old and a current result of one ticket in one batch are told apart")
  void bothInOneBatch() {
    long id = queue.enqueue();
    List<Long> others = queue.enqueue(1);
    List<ClaimedTicket> both = queue.claim(2);
    long old = both.getFirst().lease().no();
    queue.queue().finish(List.of(new Finish.GivenBack(id, old)), List.of());
    long current = queue.claim();

    List<FinishResult> results =
        queue
            .queue()
            .finish(
                List.of(
                    new Finish.Succeeded(id, old, "\"old\"", Review.HUMAN, null),
                    new Finish.Succeeded(id, current, "\"current\"", Review.HUMAN, null)),
                List.of(current));

    assertThat(results)
        .containsExactly(
            new FinishResult.Stale(id), new FinishResult.Succeeded(id, TicketState.NEEDS_REVIEW));
    assertThat(database.ticket(id)).containsEntry("result", "\"current\"");
    assertThat(database.state(others.getFirst())).isEqualTo("in_progress");
    assertThat(Set.of(old)).doesNotContain(current);
  }
}
