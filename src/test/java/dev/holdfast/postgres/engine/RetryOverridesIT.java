package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class RetryOverridesIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  private final String queueName = "q-" + UUID.randomUUID();

  RetryOverridesIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private static String baseDelay(String delay) {
    return "{\"categories\": {\"unknown\": {\"base_delay\": \"" + delay + "\"}}}";
  }

  private long enqueue(
      @Nullable String ofQueue, @Nullable String ofDesign, @Nullable String ofTicket) {
    long design =
        database.number(
            "INSERT INTO holdfast.designs (name, version, kind, definition)"
                + " VALUES (?, 1, ?, jsonb_strip_nulls(jsonb_build_object('retry', ?::jsonb)))"
                + " RETURNING id",
            "design-" + UUID.randomUUID(),
            queue.kind(),
            ofDesign);
    long id =
        database.number(
            "INSERT INTO holdfast.tickets (queue, design_id, retry_strategy)"
                + " VALUES (?, ?, ?::jsonb) RETURNING id",
            queueName,
            design,
            ofTicket);
    database.run("UPDATE holdfast.queues SET retry = ?::jsonb WHERE name = ?", ofQueue, queueName);
    return id;
  }

  private String delayAfterFailure(long id) {
    queue.fail(id, queue.claim(), Category.UNKNOWN);
    return database.value(
        "SELECT retry_after - updated_at FROM holdfast.ticket_base WHERE id = ?", id);
  }

  @Test
  @DisplayName("the queue overrides the configuration")
  void ofQueue() {
    assertThat(delayAfterFailure(enqueue(baseDelay("1m"), null, null))).isEqualTo("00:01:00");
  }

  @Test
  @DisplayName("the design overrides the queue")
  void ofDesign() {
    assertThat(delayAfterFailure(enqueue(baseDelay("1m"), baseDelay("2m"), null)))
        .isEqualTo("00:02:00");
  }

  @Test
  @DisplayName("the ticket overrides design and queue, and keeps its overrides over decisions")
  void ofTicket() {
    long id =
        enqueue(
            baseDelay("1m"),
            "{\"categories\": {\"unknown\": {\"max_retries\": 5}}}",
            baseDelay("3m"));
    assertThat(delayAfterFailure(id)).isEqualTo("00:03:00");
    queue.makeDue(id);
    assertThat(delayAfterFailure(id)).isEqualTo("00:06:00");
    assertThat(
            database.value(
                "SELECT retry_strategy->'categories'->'unknown'->>'base_delay' || ' ' ||"
                    + " (retry_strategy->>'maxRetries') FROM holdfast.tickets WHERE id = ?",
                id))
        .isEqualTo("3m 5");
  }

  @Test
  @DisplayName("A23: counting per category is an override as well")
  void countingPerCategory() {
    long id = enqueue(null, null, "{\"counting\": \"per_category\"}");
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    queue.makeDue(id);
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    queue.makeDue(id);

    assertThat(
            queue
                .queue()
                .retryOrFailTicket(
                    id, queue.claim(), TestQueue.failure(Category.CODE_ERROR, "another")))
        .isInstanceOf(FinishResult.Retried.class);
    assertThat(database.row(id))
        .containsEntry("retry_count", "3")
        .containsEntry("retry_counts", "{\"transient\": 2, \"code_error\": 1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "7",
        "\"text\"",
        "{\"categories\": []}",
        "{\"categories\": {\"unknown\": {\"base_delay\": \"soon\"}}}",
        "{\"categories\": {\"unknown\": {\"base_delay\": \"-1s\"}}}",
        "{\"categories\": {\"unknown\": {\"base_delay\": \"999999999999999d\"}}}",
        "{\"categories\": {\"unknown\": {\"base_delay\": \"8d\", \"max_retries\": 9}}}",
        "{\"categories\": {\"unknown\": {\"base-delay\": \"604800001ms\"}}}",
        "{\"categories\": {\"unknown\": {\"base_delay\": \"9999999999d\"}}}",
        "{\"max_delay\": \"31d\"}",
        "{\"max-delay\": \" 721 h \"}",
        "{\"categories\": {\"unknown\": {\"max_retries\": 2147483647}}}",
        "{\"categories\": {\"unknown\": {\"max_retries\": -1}}}",
        "{\"categories\": {\"unknown\": {\"max_retries\": 1e99}}}",
        "{\"categories\": {\"nonsense\": {\"max_retries\": 1}}}",
        "{\"jitter\": \"NaN\"}",
        "{\"jitter\": -1}",
        "{\"surprise\": true}",
        "{\"max_delay\": {\"a\": [1, {\"b\": null}]}}"
      })
  @DisplayName(
      "A18: garbage in the overrides is refused where it is written; where it is stored already it"
          + " keeps no ticket from its decision: the rest applies")
  void garbage(String retry) {
    assertThatThrownBy(() -> enqueue(retry, null, null)).hasStackTraceContaining("retry: ");
    assertThatThrownBy(() -> enqueue(null, retry, null))
        .hasStackTraceContaining("retry of design ");
    assertThatThrownBy(() -> enqueue(null, null, retry))
        .hasStackTraceContaining("retry_strategy: ");
    long id = enqueue(null, null, null);
    assertThatThrownBy(
            () ->
                database.run(
                    "UPDATE holdfast.tickets SET retry_strategy = ?::jsonb WHERE id = ?",
                    retry,
                    id))
        .hasStackTraceContaining("retry_strategy: ");

    database.run(
        "UPDATE holdfast.tickets SET state = 'cancelled' WHERE queue = ? AND state = 'ready'",
        queueName);

    List.of("queues", "designs").forEach(table -> trigger("DISABLE", table));
    try {
      long old = enqueue(retry, retry, null);
      database.run(
          "UPDATE holdfast.ticket_base SET retry_strategy = ?::jsonb WHERE id = ?", retry, old);
      assertThat(delayAfterFailure(old)).isEqualTo("00:00:15");
    } finally {
      List.of("queues", "designs").forEach(table -> trigger("ENABLE", table));
    }
  }

  private void trigger(String change, String table) {
    database.run("ALTER TABLE holdfast." + table + " " + change + " TRIGGER check_retry");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{}",
        "{\"categories\": null}",
        "{\"categories\": {\"api-error\": {\"max-retries\": \"3\", \"backoff\": \"linear\"}}}",
        "{\"max_delay\": \"30m\", \"jitter\": 0.1, \"same_error_limit\": 0, \"counting\":"
            + " \"shared\"}",
        "{\"max_delay\": \"720h\", \"categories\": {\"transient\": {\"base_delay\":"
            + " \"604800000ms\"}, \"api_error\": {\"base_delay\": \"7d\"}}}",
        "{\"max_delay\": \"30d\"}",
        "{\"errorCategory\": \"unknown\", \"maxRetries\": 1}"
      })
  @DisplayName("overrides that say nothing of a category leave it as it is")
  void harmless(String retry) {
    String delay = delayAfterFailure(enqueue(retry, retry, retry));
    assertThat(delay).startsWith("00:00:1");
  }

  @Test
  @DisplayName("a retry_count at the end of its type is no obstacle")
  void highestRetryCount() {
    long id = enqueue(null, null, "{\"counting\": \"per_category\"}");
    database.run("UPDATE holdfast.tickets SET retry_count = 2147483647 WHERE id = ?", id);

    assertThat(queue.fail(id, queue.claim(), Category.UNKNOWN))
        .isInstanceOf(FinishResult.Retried.class);
  }
}
