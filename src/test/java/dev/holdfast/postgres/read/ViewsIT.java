package dev.holdfast.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class ViewsIT {
  private final TestSql sql;
  private final TestTickets tickets;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;

  ViewsIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
    this.tickets = new TestTickets(database.dataSource());
    this.inbox = new PostgresTicketInbox(database.dataSource());
    this.desk = new PostgresTicketDesk(database.dataSource());
  }

  /** Fails a ticket whose code_error is retried at once, then lets the retry end so. */
  private void retried(String kind, boolean succeeds) {
    long id = inbox.enqueue(NewTicket.ofKind(kind));
    tickets.fail(id, kind, Category.CODE_ERROR, "first " + kind);
    if (succeeds) {
      tickets.succeed(id, tickets.claim(kind), true);
    } else {
      tickets.fail(id, kind, Category.CODE_ERROR, "second " + kind);
    }
  }

  @Test
  @DisplayName(
      "A30: the time of a retry in the timeline is the ticket's, however late it was logged")
  void timeOfRetry() {
    long id = inbox.enqueue(NewTicket.ofKind("told"));
    tickets.fail(id, "told", Category.TRANSIENT, "HTTP 503");
    sql.run(
        "UPDATE holdfast.ticket_activity SET created_at = created_at + interval '1 second'"
            + " WHERE ticket_id = ?",
        id);
    assertThat(
            sql.value(
                "SELECT (l.details->>'retryAfter')::timestamptz = date_trunc('milliseconds',"
                    + " t.retry_after) FROM holdfast.ticket_timeline l JOIN holdfast.tickets t ON"
                    + " t.id = l.ticket_id WHERE l.ticket_id = ? AND l.event = 'retry_decision'",
                id))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("A65: of 3 retries 2 succeed: 66.67 %; a release is no retry; nothing yet is no row")
  void retryOutcomes() {
    String outcomes =
        """
        SELECT concat_ws('|', category, retries_finished, succeeded, success_percent)
        FROM holdfast.retry_outcomes WHERE category = 'code_error'
        """;
    sql.run("TRUNCATE holdfast.ticket_attempts");
    assertThat(sql.column(outcomes)).isEmpty();
    retried("r1", true);
    retried("r2", true);
    retried("r3", false);
    assertThat(sql.value(outcomes)).isEqualTo("code_error|3|2|66.67");
    long held = sql.number("SELECT id FROM holdfast.tickets WHERE kind = 'r3'");
    desk.release(held, "ann", null, Retries.RESET);
    tickets.succeed(held, tickets.claim("r3"), true);
    assertThat(sql.value(outcomes)).isEqualTo("code_error|3|2|66.67");
  }

  @Test
  @DisplayName("A33: on_hold_tickets has what a person needs, the longest waiting first")
  void onHold() {
    retried("h1", false);
    retried("h2", false);
    assertThat(
            sql.column(
                """
                SELECT concat_ws('|', kind, hold_reason, error_category, error, attempts, retry_count,
                  array_to_string(allowed_actions, '+'), held_for < '1 hour')
                FROM holdfast.on_hold_tickets WHERE kind IN ('h1', 'h2')
                """))
        .containsExactly(
            "h1|Max retries exceeded: code_error|code_error|it broke: second"
                + " h1|2|1|release+release_with_guidance+cancel|t",
            "h2|Max retries exceeded: code_error|code_error|it broke: second"
                + " h2|2|1|release+release_with_guidance+cancel|t");
  }

  @Test
  @DisplayName("error_groups counts held tickets with one fingerprint together")
  void errorGroups() {
    for (String kind : new String[] {"g1", "g2", "g3"}) {
      long id = inbox.enqueue(NewTicket.ofKind(kind));
      tickets.fail(id, kind, Category.CODE_ERROR, "other");
      tickets.fail(id, kind, Category.CODE_ERROR, kind.equals("g3") ? "rare" : "common");
    }
    assertThat(
            sql.column(
                """
                SELECT concat_ws('|', error_fingerprint, tickets, last_error, cardinality(sample_ids), oldest <= newest)
                FROM holdfast.error_groups WHERE error_fingerprint IN ('common', 'rare')
                """))
        .containsExactly("common|2|it broke: common|2|t", "rare|1|it broke: rare|1|t");
  }

  @Test
  @DisplayName("queue_health shows a queue's wait as what it is")
  void queueHealth() {
    NewTicket ticket = NewTicket.ofKind("health").withQueue("health");
    inbox.enqueue(ticket);
    inbox.enqueue(ticket.withDelay(Duration.ofHours(1)));
    desk.hold(inbox.enqueue(ticket), "hal", "wait");
    inbox.enqueue(NewTicket.ofKind("health-run").withQueue("health"));
    tickets.claim("health-run");
    long retrying = inbox.enqueue(NewTicket.ofKind("health-retry").withQueue("health"));
    tickets.fail(retrying, "health-retry", Category.TRANSIENT, "busy");
    assertThat(
            sql.value(
                """
                SELECT concat_ws('|', paused, ready, retrying, scheduled, in_progress, on_hold,
                  oldest_ready_at <= now(), next_due_at > now())
                FROM holdfast.queue_health WHERE queue = 'health'
                """))
        .isEqualTo("f|1|1|1|1|1|t|t");
  }

  @Test
  @DisplayName("A60: ticket_timeline tells a ticket's whole story in order")
  void timeline() {
    long id = inbox.enqueue(NewTicket.ofKind("story"));
    tickets.fail(id, "story", Category.CODE_ERROR, "one");
    tickets.fail(id, "story", Category.CODE_ERROR, "two");
    desk.release(id, "ann", "mind the gap", Retries.RESET);
    tickets.succeed(id, tickets.claim("story"), true);
    desk.approve(id, "rob");
    assertThat(
            sql.column(
                """
                SELECT concat_ws(' ', event, actor) FROM holdfast.ticket_timeline
                WHERE ticket_id = ? ORDER BY at, event <> 'created', event <> 'claimed', event
                """,
                id))
        .containsExactly(
            "created",
            "claimed worker-1",
            "failed worker-1",
            "retry_decision system",
            "claimed worker-1",
            "failed worker-1",
            "retry_decision system",
            "released ann",
            "claimed worker-1",
            "succeeded worker-1",
            "approved rob");
  }
}
