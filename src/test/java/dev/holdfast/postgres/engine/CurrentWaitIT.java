package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class CurrentWaitIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresTicketReader reader;

  CurrentWaitIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.reader = new PostgresTicketReader(database.dataSource());
  }

  @Test
  @DisplayName("D36: a session's wait is shown until it ends, and only of the attempt that runs")
  void sessionRetry() {
    long id = queue.enqueue();
    long lease = queue.claim();
    assertThat(reader.currentWait(id)).isEmpty();
    database.tell(id, lease, new SessionEvent.AutoRetryStart(2, 3, 60_000, "HTTP 500"));
    CurrentWait wait = reader.currentWait(id).orElseThrow();
    assertThat(wait.kind()).isEqualTo(CurrentWait.Kind.SESSION_RETRY);
    assertThat(wait.attempt()).isEqualTo(2);
    assertThat(wait.left()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
    database.tell(id, lease, new SessionEvent.TurnStarted(2, 20));
    assertThat(reader.currentWait(id)).isEmpty();
    database.tell(id, lease, new SessionEvent.AutoRetryStart(3, 3, 1, "HTTP 500"));
    queue.giveBack(id, lease);
    assertThat(reader.currentWait(id)).isEmpty();
  }

  @Test
  @DisplayName("the reason of a ticket's own retry is what its error is called, not all of it")
  void ticketRetry() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.TRANSIENT);
    database.run(
        "UPDATE holdfast.ticket_base SET error_title = 'ValueError: row 177', error = 'exit code 1'"
            + " || repeat(E'\\n  File \"x.py\"', 1000) || E'\\nValueError: row 177' WHERE id = ?",
        id);
    assertThat(reader.currentWait(id).orElseThrow().reason()).isEqualTo("ValueError: row 177");
  }

  @Test
  @DisplayName("a ticket that has never run waits for nothing, whenever it starts")
  void scheduled() {
    long id =
        database.number(
            "SELECT holdfast.enqueue_ticket(kind => 'k', run_at => now() + interval '1 hour')");
    assertThat(reader.currentWait(id)).isEmpty();
    assertThat(reader.currentWait(987_654_321)).isEmpty();
  }
}
