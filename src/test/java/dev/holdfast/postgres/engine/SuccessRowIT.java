package dev.holdfast.postgres.engine;

import static dev.holdfast.testing.RowDiff.changed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.Refusals;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class SuccessRowIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  SuccessRowIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("A2, A57: a success changes exactly the named columns; retry_count is kept")
  void rowDiff() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    queue.makeDue(id);
    Map<String, @Nullable String> before = database.row(id);
    long lease = queue.claim();

    FinishResult result = queue.succeed(id, lease);

    assertThat(result).isEqualTo(new FinishResult.Succeeded(id, TicketState.NEEDS_REVIEW));
    assertThat(changed(before, database.row(id)))
        .containsOnlyKeys(
            "attempt_count",
            "completed_at",
            "error",
            "error_category",
            "error_fingerprint",
            "error_title",
            "fence",
            "result",
            "retry_after",
            "same_error_count",
            "started_at",
            "state",
            "updated_at")
        .containsEntry("attempt_count", "2")
        .containsEntry("fence", String.valueOf(lease))
        .containsEntry("result", "{\"answer\": 42}")
        .containsEntry("retry_after", null)
        .containsEntry("error", null)
        .containsEntry("state", "needs_review");
    assertThat(database.row(id)).containsEntry("retry_count", "1");
  }

  @Test
  @DisplayName("A57: while in progress retry_after is kept")
  void retryAfterWhileRunning() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    queue.makeDue(id);
    String due = database.ticket(id).get("retry_after");

    queue.claim();

    assertThat(due).isNotNull();
    assertThat(database.ticket(id))
        .containsEntry("state", "in_progress")
        .containsEntry("retry_after", due);
  }

  @Test
  @DisplayName("A2: a success without review is done")
  void withoutReview() {
    long id = queue.enqueue();
    long lease = queue.claim();

    FinishResult result =
        queue
            .queue()
            .finish(
                List.of(new Finish.Succeeded(id, lease, null, Review.NONE, null)), List.of(lease))
            .getFirst();

    assertThat(result).isEqualTo(new FinishResult.Succeeded(id, TicketState.DONE));
    assertThat(database.ticket(id))
        .containsEntry("state", "done")
        .containsEntry("result", null)
        .containsEntry("lease_no", String.valueOf(lease));
  }

  @Test
  @DisplayName(
      "a success that its design's rule approves is done and says so once, however often it is"
          + " stored; one that comes too late says nothing")
  void approvedByRule() {
    long id = queue.enqueue();
    long lease = queue.claim();
    Finish finish = new Finish.Succeeded(id, lease, "1", Review.RULE, null);
    for (int i = 0; i < 2; i++) {
      assertThat(queue.queue().finish(List.of(finish), List.of()).getFirst())
          .isEqualTo(new FinishResult.Succeeded(id, TicketState.DONE));
    }
    queue
        .queue()
        .finish(List.of(new Finish.Succeeded(id + 99, lease, "1", Review.RULE, null)), List.of());
    assertThat(
            database.column(
                "SELECT ticket_id || actor || channel FROM holdfast.ticket_activity WHERE action ="
                    + " 'approved'"))
        .containsExactly(id + "rulerule");
  }

  @Test
  @DisplayName(
      "a success and the tickets that come of it are stored together or not at all, also where"
          + " nothing else is stored with them")
  void addedTogether() {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('child', 1, 'kids',"
            + " '{}'), ('parent', 1, ?, '{\"may_enqueue\": [\"child\"]}')",
        queue.kind());
    long id = database.number("SELECT holdfast.enqueue_ticket(design => 'parent')");
    long lease = queue.claim();
    Finish finish =
        new Finish.Succeeded(
            id, lease, "1", Review.NONE, "[{\"design\": \"child\", \"payloads\": [{\"n\": 1}]}]");
    String children = "SELECT count(*) FROM holdfast.tickets WHERE kind = 'kids'";
    Refusals refusals = new Refusals(database);
    refusals.refuse(id, "NEW.state = 'done'", "XX001");
    assertThatThrownBy(() -> queue.queue().finish(List.of(finish), List.of(lease)))
        .isInstanceOf(StatementRefusedException.class);
    assertThat(database.number(children)).isZero();

    refusals.end();
    assertThat(queue.queue().finish(List.of(finish), List.of(lease)).getFirst())
        .isEqualTo(new FinishResult.Succeeded(id, TicketState.DONE));
    assertThat(database.number(children)).isEqualTo(1);
  }

  @Test
  @DisplayName("a mixed batch over several leases is stored in one go, answers in order")
  void mixedBatch() {
    List<Long> ids = queue.enqueue(6);
    long first = queue.claim(3).getFirst().lease().no();
    long second = queue.claim(3).getFirst().lease().no();

    List<FinishResult> results =
        queue
            .queue()
            .finish(
                List.of(
                    new Finish.GivenBack(ids.get(0), first),
                    new Finish.Succeeded(ids.get(3), second, "1", Review.NONE, null),
                    new Finish.Failed(
                        ids.get(1), first, TestQueue.failure(Category.TRANSIENT, "x")),
                    new Finish.Succeeded(ids.get(2), first, "[]", Review.HUMAN, null)),
                List.of(first));

    assertThat(results)
        .extracting(FinishResult::ticketId)
        .containsExactly(ids.get(0), ids.get(3), ids.get(1), ids.get(2));
    assertThat(results.get(0)).isInstanceOf(FinishResult.GivenBack.class);
    assertThat(results.get(1)).isInstanceOf(FinishResult.Succeeded.class);
    assertThat(results.get(2)).isInstanceOf(FinishResult.Retried.class);
    assertThat(results.get(3)).isInstanceOf(FinishResult.Succeeded.class);
    assertThat(ids)
        .map(database::state)
        .containsExactly("ready", "ready", "needs_review", "done", "in_progress", "in_progress");
  }

  @Test
  @DisplayName("A52: giving back leaves retry_count and retry_after alone; it is ready at once")
  void givenBack() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    queue.makeDue(id);
    Map<String, @Nullable String> before = database.row(id);
    long lease = queue.claim();

    FinishResult result = queue.giveBack(id, lease);

    assertThat(result).isEqualTo(new FinishResult.GivenBack(id));
    assertThat(changed(before, database.row(id)))
        .containsOnlyKeys("attempt_count", "fence", "started_at", "updated_at")
        .containsEntry("fence", String.valueOf(lease));
    assertThat(database.outcomes(id)).containsExactly("failed", "given_back");
    assertThat(queue.claim(5)).hasSize(1);
  }
}
