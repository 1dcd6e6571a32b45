package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
class FigureLoopIT {
  private final TicketDatabase database;

  FigureLoopIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
  }

  @Test
  @DisplayName("a worker counts what happened while none ran")
  void counts() {
    database.run(
        """
        INSERT INTO holdfast.ticket_attempts
          (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
        SELECT ?, 1, now() - interval '40 minutes', now() - interval '40 minutes', 1, 'succeeded', 'w'
        """,
        database.enqueue("manual"));
    database.run("UPDATE holdfast.figures_cursor SET counted_until = now() - interval '1 hour'");
    TestWorker description = new TestWorker(database).handler(context -> HandlerResult.done("1"));
    try (Worker worker = description.start()) {
      assertThat(worker.healthy()).isTrue();
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(
                          database.column(
                              "SELECT n FROM holdfast.ticket_figures WHERE span_minutes = 15"))
                      .containsExactly("1"));
    }
  }
}
