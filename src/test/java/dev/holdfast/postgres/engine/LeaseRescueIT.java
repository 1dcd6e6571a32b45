package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.Refusals;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Review;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class LeaseRescueIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  LeaseRescueIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    database.run("DELETE FROM holdfast.deferred");
    database.run("TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.leases");
  }

  private long expired() {
    long lease = queue.claim(100).getFirst().lease().no();
    queue.expire(lease);
    return lease;
  }

  private long leases() {
    return database.number("SELECT count(*) FROM holdfast.leases");
  }

  @Test
  @DisplayName("A50: an expired lease is a system_error of its own, counted as a crash")
  void rescue() {
    long id = queue.enqueue();
    expired();

    List<FinishResult> results = queue.queue().rescue(10);

    assertThat(results)
        .singleElement()
        .isInstanceOfSatisfying(
            FinishResult.Retried.class,
            retried ->
                assertThat(retried.decision().classification().category())
                    .isEqualTo(Category.SYSTEM_ERROR));
    assertThat(database.ticket(id))
        .containsEntry("state", "ready")
        .containsEntry("retry_count", "0")
        .containsEntry("crash_count", "1")
        .containsEntry("error_category", "system_error")
        .containsEntry("worker_id", null);
    assertThat(database.ticket(id).get("error")).startsWith("lease expired: worker worker-1 ");
    assertThat(database.outcomes(id)).containsExactly("crashed");
    assertThat(leases()).isZero();
    assertThat(queue.queue().rescue(10)).isEmpty();
  }

  @Test
  @DisplayName("A50: a lease that has not expired is left alone")
  void notExpired() {
    long id = queue.enqueue();
    queue.claim();

    assertThat(queue.queue().rescue(10)).isEmpty();
    assertThat(database.state(id)).isEqualTo("in_progress");
  }

  @Test
  @DisplayName("A50: a lease of a clock that was ahead lasts no longer than others from now on")
  void clockWasAhead() {
    long id = queue.enqueue();
    long lease = queue.claim(100).getFirst().lease().no();
    String end = "SELECT expires_at::text FROM holdfast.leases WHERE id = " + lease;
    String before = database.value(end);
    queue.queue().holdExpired(10);
    assertThat(database.value(end)).as("not longer than it is").isEqualTo(before);
    database.run("UPDATE holdfast.leases SET expires_at = expires_at + interval '9 days'");
    queue.queue().holdExpired(10);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.leases WHERE expires_at BETWEEN now() AND now() +"
                    + " for_ms * interval '1 millisecond'"))
        .isEqualTo(1);
    assertThat(database.state(id)).isEqualTo("in_progress");
  }

  @Test
  @DisplayName("A50: a ticket that kills its workers ends on hold")
  void poison() {
    long id = queue.enqueue();
    int crashes = 0;
    while (database.state(id).equals("ready")) {
      expired();
      queue.queue().rescue(10);
      queue.makeDue(id);
      crashes++;
    }

    assertThat(crashes).isEqualTo(3);
    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "Its worker died 3 times: system_error")
        .containsEntry("retry_count", "0")
        .containsEntry("crash_count", "3");
  }

  @Test
  @DisplayName("the crash limit holds a ticket although retries remain")
  void crashLimit() {
    long id = queue.enqueue();
    database.run(
        "UPDATE holdfast.tickets SET retry_strategy = '{\"categories\": {\"system_error\":"
            + " {\"max_retries\": 9}}, \"same_error_limit\": 0, \"crash_limit\": 2}' WHERE id = ?",
        id);
    for (int i = 0; i < 2; i++) {
      expired();
      queue.queue().rescue(10);
      queue.makeDue(id);
    }

    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "Its worker died 2 times: system_error");
  }

  @Test
  @DisplayName("of a half-finished batch only the rest is rescued")
  void halfFinished() {
    List<Long> ids = queue.enqueue(3);
    long lease = expired();
    queue
        .queue()
        .finish(
            List.of(new Finish.Succeeded(ids.get(0), lease, null, Review.NONE, null)), List.of());
    database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", ids.get(1));

    assertThat(queue.queue().rescue(10))
        .singleElement()
        .extracting(FinishResult::ticketId)
        .isEqualTo(ids.get(2));
    assertThat(ids).map(database::state).containsExactly("done", "cancelled", "ready");
    assertThat(leases()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"P0001", "40001", "55P03", "HF409"})
  @DisplayName("20.2: a ticket that cannot be rescued does not keep the others from it")
  void refusedRescue(String sqlState) {
    List<Long> ids = queue.enqueue(5);
    Refusals refusals = new Refusals(database);
    refusals.refuse(ids.get(2), "true", sqlState);
    try {
      expired();

      assertThat(queue.queue().rescue(10))
          .extracting(FinishResult::ticketId)
          .containsExactlyInAnyOrder(ids.get(0), ids.get(1), ids.get(3), ids.get(4));
      assertThat(database.state(ids.get(2))).isEqualTo("in_progress");
    } finally {
      refusals.end();
    }

    assertThat(queue.queue().rescue(10))
        .extracting(FinishResult::ticketId)
        .containsExactly(ids.get(2));
    assertThat(leases()).isZero();
  }

  @RepeatedTest(3)
  @DisplayName("two rescuers at once rescue each ticket once")
  void twoRescuers() throws Exception {
    List<Long> ids = queue.enqueue(40);
    for (int i = 0; i < 10; i++) {
      queue.expire(queue.claim(4).getFirst().lease().no());
    }

    List<List<FinishResult>> both =
        AtOnce.run(() -> queue.queue().rescue(100), () -> queue.queue().rescue(100));

    assertThat(both.stream().flatMap(List::stream).map(FinishResult::ticketId))
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(ids).allSatisfy(id -> assertThat(database.outcomes(id)).containsExactly("crashed"));
  }

  @RepeatedTest(5)
  @DisplayName("A50, A51: rescue against late results: each ticket has exactly one outcome")
  void lateResults() throws Exception {
    List<Long> ids = queue.enqueue(30);
    long lease = expired();
    List<Finish> late =
        ids.stream()
            .map(
                id ->
                    switch ((int) (id % 3)) {
                      case 0 -> new Finish.Succeeded(id, lease, "1", Review.NONE, null);
                      case 1 ->
                          new Finish.Failed(
                              id, lease, TestQueue.failure(Category.CODE_ERROR, "late"));
                      default -> new Finish.GivenBack(id, lease);
                    })
            .map(Finish.class::cast)
            .toList();

    List<List<FinishResult>> both =
        AtOnce.run(
            () -> queue.queue().rescue(10), () -> queue.queue().finish(late, List.of(lease)));
    queue.queue().rescue(10);

    assertThat(both.get(1)).hasSize(30);
    assertThat(ids).allSatisfy(id -> assertThat(database.outcomes(id)).hasSize(1));
    assertThat(leases()).isZero();
  }

  @RepeatedTest(5)
  @DisplayName("rescue against a cancelling person: neither fails, and the ticket is cancelled")
  void cancelMeanwhile() throws Exception {
    List<Long> ids = queue.enqueue(5);
    expired();

    AtOnce.run(
        () -> queue.queue().rescue(10),
        () -> {
          ids.forEach(id -> database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", id));
          return List.<FinishResult>of();
        });
    queue.queue().rescue(10);

    assertThat(ids).map(database::state).containsOnly("cancelled");
    assertThat(ids).allSatisfy(id -> assertThat(database.outcomes(id)).hasSize(1));
    assertThat(leases()).isZero();
  }

  @Test
  @DisplayName("a ticket that somebody has locked is rescued later; the others of its lease now")
  void locked() throws Exception {
    List<Long> ids = queue.enqueue(3);
    expired();
    try (Connection person = database.dataSource().getConnection()) {
      person.setAutoCommit(false);
      person
          .createStatement()
          .execute("SELECT FROM holdfast.ticket_base WHERE id = " + ids.get(1) + " FOR UPDATE");

      assertThat(queue.queue().rescue(10)).hasSize(2);
      assertThat(ids).map(database::state).containsExactly("ready", "in_progress", "ready");
      person.rollback();
    }
    assertThat(queue.queue().rescue(10)).hasSize(1);
    assertThat(leases()).isZero();
  }

  @Test
  @DisplayName("a worker that was only late keeps its lease")
  void late() {
    queue.enqueue();
    long lease = expired();

    assertThat(
            queue
                .queue()
                .heartbeat(TestQueue.WORKER, List.of(lease), java.time.Duration.ofMinutes(1))
                .renewed())
        .containsExactly(lease);
    assertThat(queue.queue().rescue(10)).isEmpty();
  }
}
