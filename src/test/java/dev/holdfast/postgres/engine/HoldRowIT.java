package dev.holdfast.postgres.engine;

import static dev.holdfast.testing.RowDiff.changed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class HoldRowIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  HoldRowIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  /** A ticket whose one retry is used up, claimed. */
  private long exhausted() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.UNKNOWN);
    queue.makeDue(id);
    return id;
  }

  @Test
  @DisplayName("A33, A34, A21, A29: a hold changes exactly the named columns of the row")
  void rowDiff() {
    long id = exhausted();
    Map<String, @Nullable String> before = database.row(id);
    long lease = queue.claim();

    queue.queue().retryOrFailTicket(id, lease, TestQueue.failure(Category.UNKNOWN, "again"));

    Map<String, @Nullable String> after = changed(before, database.row(id));
    assertThat(after)
        .containsOnlyKeys(
            "attempt_count",
            "completed_at",
            "error",
            "error_fingerprint",
            "error_title",
            "fence",
            "held_at",
            "hold_actions",
            "hold_reason",
            "retry_strategy",
            "started_at",
            "state",
            "updated_at")
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "Max retries exceeded: unknown")
        .containsEntry("hold_actions", "{release,release_with_guidance,cancel}")
        .containsEntry("error", "again")
        .containsEntry("attempt_count", "2")
        .containsEntry("fence", String.valueOf(lease))
        .containsEntry(
            "retry_strategy",
            "{\"maxRetries\": 1, \"backoffType\": \"linear\", \"nextDelayMs\": 0,"
                + " \"errorCategory\": \"unknown\", \"attemptsRemaining\": 0}");
    assertThat(
            database.value(
                "SELECT completed_at = updated_at AND held_at = updated_at"
                    + " FROM holdfast.ticket_base WHERE id = ?",
                id))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("A36, A35: a hold answers that it is one, and why")
  void answer() {
    long id = exhausted();

    FinishResult result = queue.fail(id, queue.claim(), Category.UNKNOWN);

    assertThat(result)
        .isInstanceOfSatisfying(
            FinishResult.Held.class,
            held -> {
              assertThat(held.decision().shouldRetry()).isFalse();
              assertThat(held.decision().nextDelay()).isZero();
              assertThat(held.decision().hold())
                  .hasValueSatisfying(
                      hold -> assertThat(hold.cause()).isEqualTo(HoldCause.MAX_RETRIES));
            });
  }

  @Test
  @DisplayName("A60: a hold is logged as a decision that does not retry")
  void activity() {
    long id = exhausted();
    queue.fail(id, queue.claim(), Category.UNKNOWN);

    assertThat(
            database.value(
                "SELECT details -"
                    + " '{error,title,rule,fingerprint,leaseNo,holdCause,backoffType,baseDelayMs,attemptsRemaining}'::text[]"
                    + " FROM holdfast.ticket_activity WHERE ticket_id = ? ORDER BY id DESC LIMIT 1",
                id))
        .isEqualTo(
            "{\"holdReason\": \"Max retries exceeded: unknown\", \"maxRetries\": 1,"
                + " \"nextDelayMs\": 0, \"shouldRetry\": false, \"errorCategory\": \"unknown\","
                + " \"currentAttempt\": 2}");
  }

  @Test
  @DisplayName("A37: a held ticket is never claimed, whatever its retry_after")
  void notClaimed() {
    long id = exhausted();
    queue.fail(id, queue.claim(), Category.UNKNOWN);
    database.run(
        "UPDATE holdfast.tickets SET retry_after = now() - interval '1 hour' WHERE id = ?", id);

    assertThat(queue.claim(5)).isEmpty();
    assertThat(database.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("A4, A56: a released ticket is claimable, and its next failure is retried again")
  void released() {
    long id = exhausted();
    queue.fail(id, queue.claim(), Category.UNKNOWN);

    database.run("SELECT holdfast.release_ticket(?, 'ann')", id);
    FinishResult result = queue.fail(id, queue.claim(), Category.UNKNOWN);

    assertThat(result).isInstanceOf(FinishResult.Retried.class);
    assertThat(database.ticket(id))
        .containsEntry("hold_reason", null)
        .containsEntry("completed_at", null)
        .containsEntry("retry_count", "1");
  }

  @Test
  @DisplayName("the same error three times in a row holds the ticket although retries remain")
  void sameError() {
    long id = queue.enqueue();
    database.run(
        "UPDATE holdfast.tickets SET retry_strategy ="
            + " '{\"categories\": {\"api_error\": {\"max_retries\": 9}}}' WHERE id = ?",
        id);
    for (int i = 0; i < 3; i++) {
      queue.fail(id, queue.claim(), Category.API_ERROR);
      queue.makeDue(id);
    }

    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "Same error 3 times in a row: api_error")
        .containsEntry("retry_count", "2");
  }

  @Test
  @DisplayName("a success in between ends a row of same errors")
  void sameErrorAfterSuccess() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.API_ERROR);
    queue.makeDue(id);
    queue.succeed(id, queue.claim());
    database.run("SELECT holdfast.reject_ticket(?, 'ann', 'no')", id);
    queue.fail(id, queue.claim(), Category.API_ERROR);

    assertThat(database.row(id)).containsEntry("same_error_count", "1");
  }
}
