package dev.holdfast.postgres.engine;

import static dev.holdfast.testing.RowDiff.changed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@WithDatabase
@EverySetup
class RetryRowIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  RetryRowIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("A26, A28, A29, A32: a retry changes exactly the named columns of the row")
  void rowDiff() {
    long id = queue.enqueue();
    Map<String, @Nullable String> before = database.row(id);
    long lease = queue.claim();

    queue.fail(id, lease, Category.TRANSIENT);

    Map<String, @Nullable String> after = changed(before, database.row(id));
    assertThat(after)
        .containsOnlyKeys(
            "attempt_count",
            "error",
            "error_category",
            "error_fingerprint",
            "error_title",
            "fence",
            "retry_after",
            "retry_count",
            "retry_counts",
            "retry_strategy",
            "same_error_count",
            "started_at",
            "updated_at")
        .containsEntry("attempt_count", "1")
        .containsEntry("error", "it broke")
        .containsEntry("error_category", "transient")
        .containsEntry("error_fingerprint", "it broke")
        .containsEntry("fence", String.valueOf(lease))
        .containsEntry("retry_count", "1")
        .containsEntry("retry_counts", "{\"transient\": 1}")
        .containsEntry("same_error_count", "1")
        .containsEntry(
            "retry_strategy",
            "{\"maxRetries\": 3, \"backoffType\": \"exponential\", \"nextDelayMs\": 30000,"
                + " \"errorCategory\": \"transient\", \"attemptsRemaining\": 3}");
    assertThat(
            database.value(
                "SELECT (retry_after - updated_at)::text || ' ' || (updated_at >= started_at)"
                    + " FROM holdfast.ticket_base WHERE id = ?",
                id))
        .isEqualTo("00:00:30 true");
  }

  @Test
  @DisplayName("A26, A28: a retried ticket is shown ready, without worker, still for agents")
  void shown() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.TRANSIENT);

    assertThat(database.ticket(id))
        .containsEntry("state", "ready")
        .containsEntry("assignee_type", "agent")
        .containsEntry("worker_id", null)
        .containsEntry("lease_expires_at", null)
        .containsEntry("hold_reason", null)
        .containsEntry("completed_at", null)
        .containsEntry("rejection_count", "0");
    assertThat(queue.claim(5)).isEmpty();
    queue.makeDue(id);
    assertThat(queue.claim(5)).hasSize(1);
  }

  @Test
  @DisplayName("A27: a retry_count of NULL is read as 0 and becomes 1")
  void nullCount() {
    long id =
        database.number(
            "INSERT INTO holdfast.tickets (kind, retry_count) VALUES (?, NULL) RETURNING id",
            queue.kind());
    assertThat(database.row(id)).containsEntry("retry_count", null);

    queue.fail(id, queue.claim(), Category.UNKNOWN);

    assertThat(database.row(id)).containsEntry("retry_count", "1");
  }

  @Test
  @DisplayName("A31, A22: a retry answers with the time and what remained before it")
  void answer() {
    long id = queue.enqueue();

    FinishResult result = queue.fail(id, queue.claim(), Category.TRANSIENT);

    assertThat(result).isInstanceOf(FinishResult.Retried.class);
    FinishResult.Retried retried = (FinishResult.Retried) result;
    assertThat(retried.decision().attemptsRemaining()).isEqualTo(3);
    assertThat(retried.decision().nextDelay()).isEqualTo(Duration.ofSeconds(30));
    assertThat(retried.retryAfter())
        .isEqualTo(
            java.time.Instant.ofEpochMilli(0)
                .plusNanos(
                    1000
                        * database.number(
                            "SELECT (extract(epoch FROM retry_after) * 1000000)::bigint"
                                + " FROM holdfast.ticket_base WHERE id = ?",
                            id)));
  }

  @Test
  @DisplayName("A20: without backoff the ticket is eligible at once")
  void atOnce() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.CODE_ERROR);

    assertThat(queue.claim(5)).hasSize(1);
    assertThat(
            database.value(
                "SELECT retry_after = updated_at FROM holdfast.ticket_base WHERE id = ?", id))
        .isEqualTo("t");
  }

  @ParameterizedTest
  @EnumSource(Category.class)
  @DisplayName("A14, A16, A1, A69: each category runs its retries + 1 times, then it is on hold")
  void executions(Category category) {
    long id = queue.enqueue();
    int executions = 0;
    do {
      executions++;
      Failure failure = TestQueue.failure(category, "error " + executions);
      queue.queue().retryOrFailTicket(id, queue.claim(), failure);
      queue.makeDue(id);
    } while (database.state(id).equals("ready"));

    assertThat(database.state(id)).isEqualTo("on_hold");
    int expected =
        switch (category) {
          case TRANSIENT -> 4;
          case API_ERROR, SYSTEM_ERROR -> 3;
          case CODE_ERROR, UNKNOWN -> 2;
        };
    assertThat(executions).isEqualTo(expected);
    assertThat(database.outcomes(id)).hasSize(expected).containsOnly("failed");
  }

  @Test
  @DisplayName("A19, A70: the delays of a rate limit double, then it waits for a person")
  void doublingDelays() {
    long id = queue.enqueue();
    for (String delay : List.of("00:00:30", "00:01:00", "00:02:00")) {
      queue.fail(id, queue.claim(), Category.TRANSIENT);
      assertThat(
              database.value(
                  "SELECT retry_after - updated_at FROM holdfast.ticket_base WHERE id = ?", id))
          .isEqualTo(delay);
      queue.makeDue(id);
    }
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    assertThat(database.state(id)).isEqualTo("on_hold");
    database.run("SELECT holdfast.release_ticket(?, 'ann', 'the quota is higher now')", id);
    assertThat(queue.claim(5)).hasSize(1);
  }

  @Test
  @DisplayName("A23: two transient failures use up what a code_error would have had")
  void sharedCount() {
    long id = queue.enqueue();
    for (int i = 0; i < 2; i++) {
      queue.fail(id, queue.claim(), Category.TRANSIENT);
      queue.makeDue(id);
    }
    queue.fail(id, queue.claim(), Category.CODE_ERROR);

    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "Max retries exceeded: code_error");
  }

  @Test
  @DisplayName("A24: a server's hint raises the delay")
  void hint() {
    long id = queue.enqueue();
    Failure failure =
        new Failure(
            "slow down", Category.API_ERROR, "test", "", Duration.ofSeconds(77), 429, "print");
    queue.queue().retryOrFailTicket(id, queue.claim(), failure);

    assertThat(
            database.value(
                "SELECT retry_after - updated_at FROM holdfast.ticket_base WHERE id = ?", id))
        .isEqualTo("00:01:17");
    assertThat(
            database.value(
                "SELECT http_status FROM holdfast.ticket_attempts WHERE ticket_id = ?", id))
        .isEqualTo("429");
  }

  @Test
  @DisplayName("A60, A61: each decision is logged by the system, with the attempt counted from 1")
  void activity() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.API_ERROR);
    queue.makeDue(id);
    queue.fail(id, queue.claim(), Category.API_ERROR);

    List<Map<String, @Nullable String>> rows =
        database.rows(
            "SELECT action, actor, details->>'errorCategory' AS category,"
                + " details->>'currentAttempt' AS attempt, details->>'maxRetries' AS max,"
                + " details->>'shouldRetry' AS retry, details->>'nextDelayMs' AS delay"
                + " FROM holdfast.ticket_activity WHERE ticket_id = ? ORDER BY id",
            id);
    assertThat(rows)
        .containsExactly(
            Map.of(
                "action",
                "retry_decision",
                "actor",
                "system",
                "category",
                "api_error",
                "attempt",
                "1",
                "max",
                "2",
                "retry",
                "true",
                "delay",
                "15000"),
            Map.of(
                "action",
                "retry_decision",
                "actor",
                "system",
                "category",
                "api_error",
                "attempt",
                "2",
                "max",
                "2",
                "retry",
                "true",
                "delay",
                "30000"));
  }

  @Test
  @DisplayName("an attempt row says when, who, what and why")
  void attempt() {
    long id = queue.enqueue();
    long lease = queue.claim();
    queue
        .queue()
        .finish(
            List.of(
                new Finish.Failed(id, lease, TestQueue.failure(Category.SYSTEM_ERROR, "ENOENT"))),
            List.of(lease));

    assertThat(
            database.rows(
                "SELECT lease_no, attempt, outcome, worker_id, category, rule, fingerprint, error,"
                    + " result, started_at <= finished_at AS in_order"
                    + " FROM holdfast.ticket_attempts WHERE ticket_id = ?",
                id))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("lease_no", String.valueOf(lease))
                    .containsEntry("attempt", "1")
                    .containsEntry("outcome", "failed")
                    .containsEntry("worker_id", TestQueue.WORKER)
                    .containsEntry("category", "system_error")
                    .containsEntry("rule", "test")
                    .containsEntry("fingerprint", "ENOENT")
                    .containsEntry("error", "ENOENT")
                    .containsEntry("result", null)
                    .containsEntry("in_order", "t"));
  }

  @Test
  @DisplayName("A53: times are points in time, and delays are right in any session's time zone")
  void timeZones() {
    assertThat(
            database.column(
                "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE"
                    + " table_schema = 'holdfast' AND data_type = 'timestamp without time zone'"
                    + " AND table_name <> 'flyway_schema_history'"))
        .isEmpty();
    assertThat(database.value("SHOW TimeZone")).isEqualTo("Asia/Tokyo");
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    assertThat(
            database.value(
                "SELECT retry_after AT TIME ZONE 'UTC' - now() AT TIME ZONE 'UTC' BETWEEN"
                    + " interval '20 s' AND interval '30 s' FROM holdfast.tickets WHERE id = ?",
                id))
        .isEqualTo("t");
  }
}
