package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketState;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class PostgresTicketDeskIT {
  private final TestSql sql;
  private final TestTickets tickets;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;

  PostgresTicketDeskIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
    this.tickets = new TestTickets(database.dataSource());
    this.inbox = new PostgresTicketInbox(database.dataSource());
    this.desk = new PostgresTicketDesk(database.dataSource());
  }

  /** Held by A33 after one retry: every column that a release touches is set. */
  private long exhausted(String kind) {
    long id = inbox.enqueue(NewTicket.ofKind(kind));
    tickets.fail(id, kind, Category.CODE_ERROR, "first");
    tickets.fail(id, kind, Category.CODE_ERROR, "second");
    return id;
  }

  @Test
  @DisplayName("A56: a release resets every column it must, and keeps the error")
  void release() {
    long id = exhausted("a56");
    assertThat(row(id))
        .isEqualTo(
            "on_hold|1|t|Max retries exceeded: code_error|t|t|it broke: second|code_error|second");
    sql.run(
        """
        UPDATE holdfast.ticket_base SET crash_count = 2, same_error_count = 2, retry_counts = '{"unknown": 1}',
          retry_after = now() + interval '1 hour'
        WHERE id = ?
        """,
        id);
    assertThat(desk.release(id, "ann", null, Retries.RESET)).isEqualTo(TicketState.READY);
    assertThat(row(id)).isEqualTo("ready|0|f|null|f|f|it broke: second|code_error|second");
    assertThat(
            sql.value(
                """
                SELECT concat_ws('|', retry_after IS NULL, retry_counts IS NULL, same_error_count, crash_count)
                FROM holdfast.ticket_base WHERE id = ?
                """,
                id))
        .isEqualTo("t|t|0|0");
    assertThat(lastActivity(id))
        .isEqualTo(
            "released|ann|{\"holdReason\": \"Max retries exceeded: code_error\", \"keepRetries\":"
                + " false}");
    tickets.fail(id, "a56", Category.CODE_ERROR, "third");
    assertThat(sql.value("SELECT state FROM holdfast.tickets WHERE id = ?", id))
        .describedAs("retries again instead of going straight back to hold")
        .isEqualTo("ready");
  }

  private String row(long id) {
    return String.valueOf(
        sql.value(
            """
            SELECT concat_ws('|', state, retry_count, completed_at IS NOT NULL, coalesce(hold_reason, 'null'),
              held_at IS NOT NULL, allowed_actions IS NOT NULL, error, error_category, error_fingerprint)
            FROM holdfast.tickets WHERE id = ?
            """,
            id));
  }

  @Test
  @DisplayName("A56: a release can keep the used retries")
  void releaseKeepingRetries() {
    long id = exhausted("a56-keep");
    desk.release(id, "ann", null, Retries.KEEP);
    assertThat(sql.number("SELECT retry_count FROM holdfast.tickets WHERE id = ?", id)).isOne();
    tickets.fail(id, "a56-keep", Category.CODE_ERROR, "third");
    assertThat(sql.value("SELECT state FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("on_hold");
  }

  @Test
  @DisplayName(
      "A4: guidance of a release and of a rejection reaches the next attempts, oldest first")
  void guidance() {
    long id = inbox.enqueue(NewTicket.ofKind("guided"));
    desk.hold(id, "hal", "unclear");
    desk.release(id, "ann", "the file is in /data", Retries.RESET);
    tickets.succeed(id, tickets.claim("guided"), true);
    assertThat(desk.reject(id, "rob", "too long")).isEqualTo(TicketState.READY);
    assertThat(sql.number("SELECT rejection_count FROM holdfast.tickets WHERE id = ?", id)).isOne();
    assertThat(
            sql.column(
                """
                SELECT concat_ws('|', source, author, guidance) FROM holdfast.ticket_guidance
                WHERE ticket_id = ? ORDER BY id
                """,
                id))
        .containsExactly("release|ann|the file is in /data", "reject|rob|too long");
  }

  @Test
  @DisplayName("A3: of two people who release at once exactly one wins, the other is told who did")
  void concurrentReleases() throws Exception {
    long id = tickets.in(TicketState.ON_HOLD);
    try (Connection first = sql.dataSource().getConnection();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      first.setAutoCommit(false);
      TestSql.column(first, "SELECT holdfast.release_ticket(?, 'ann')", id);
      Future<TicketState> second =
          threads.submit(
              (Callable<TicketState>) () -> desk.release(id, "bob", null, Retries.RESET));
      Awaitility.await().until(() -> waiting() == 1);
      first.commit();
      assertThatThrownBy(second::get)
          .hasCauseInstanceOf(IllegalTransitionException.class)
          .hasMessageContaining("cannot release ticket " + id + ": it is ready; ann was the last")
          .hasMessageContaining("(released at ");
    }
    assertThat(
            sql.column(
                """
                SELECT actor FROM holdfast.ticket_activity
                WHERE ticket_id = ? AND action = 'released'
                """,
                id))
        .containsExactly("ann");
  }

  private long waiting() {
    return sql.number(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """);
  }

  @Test
  @DisplayName(
      "A51: holding a running ticket ends its attempt, tells its worker, refuses its result")
  void holdRunning() {
    String kind = "running";
    long id = inbox.enqueue(NewTicket.ofKind(kind));
    long lease = tickets.claim(kind);
    assertThat(desk.hold(id, "hal", "stop that")).isEqualTo(TicketState.ON_HOLD);
    assertThat(
            tickets.queue().heartbeat("worker-1", Set.of(lease), Duration.ofMinutes(1)).revoked())
        .containsEntry(lease, Set.of(id));
    assertThat(
            tickets
                .queue()
                .finish(
                    List.of(new Finish.Succeeded(id, lease, null, Review.HUMAN, null)), List.of()))
        .containsExactly(new FinishResult.Stale(id));
    assertThat(
            sql.value(
                """
                SELECT concat_ws('|', state, hold_reason, attempt_count, worker_id, allowed_actions)
                FROM holdfast.tickets WHERE id = ?
                """,
                id))
        .isEqualTo("on_hold|stop that|1|{release,release_with_guidance,cancel}");
    assertThat(
            sql.value(
                """
                SELECT concat_ws('|', outcome, attempt, error) FROM holdfast.ticket_attempts
                WHERE ticket_id = ?
                """,
                id))
        .isEqualTo("revoked|1|revoked by hal");
  }

  @Test
  @DisplayName("A37: a held ticket stands neither in ready nor in deferred")
  void heldIsNotClaimable() {
    long ready = tickets.in(TicketState.ON_HOLD);
    long deferred = inbox.enqueue(NewTicket.ofKind("later").withDelay(Duration.ofHours(1)));
    desk.hold(deferred, "hal", "wait");
    assertThat(
            sql.number(
                """
                SELECT count(*) FROM (SELECT id FROM holdfast.ready UNION ALL SELECT id FROM holdfast.deferred) f
                WHERE id IN (?, ?)
                """,
                ready,
                deferred))
        .isZero();
  }

  @Test
  @DisplayName("A58: cancel ends a ticket from every open state, and nothing else does")
  void cancel() {
    for (TicketState state : TicketState.values()) {
      long id = tickets.in(state);
      if (state.isFinal()) {
        assertThatThrownBy(() -> desk.cancel(id, "carl", null))
            .isInstanceOf(IllegalTransitionException.class)
            .hasMessageContaining("cannot cancel ticket " + id + ": it is " + state.wireName());
      } else {
        assertThat(desk.cancel(id, "carl", "no longer needed")).isEqualTo(TicketState.CANCELLED);
        assertThat(lastActivity(id)).startsWith("cancelled|carl|").contains("no longer needed");
        assertThat(
                sql.number(
                    "SELECT count(*) FROM holdfast.tickets WHERE id = ? AND completed_at IS NOT"
                        + " NULL",
                    id))
            .isOne();
      }
    }
  }

  @Test
  @DisplayName("A2: approve makes a reviewed ticket done and keeps its result")
  void approve() {
    long id = tickets.in(TicketState.NEEDS_REVIEW);
    assertThat(desk.approve(id, "rob")).isEqualTo(TicketState.DONE);
    assertThat(sql.value("SELECT result ->> 'answer' FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("42");
    assertThatThrownBy(() -> desk.reject(id, "rob", "on second thoughts"))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("it is done; rob was the last to act on it (approved at ");
  }

  @Test
  @DisplayName("a hold's allowed_actions are enforced")
  void allowedActions() {
    long id = tickets.in(TicketState.ON_HOLD);
    sql.run(
        "UPDATE holdfast.ticket_base SET hold_actions = '{release_with_guidance}' WHERE id = ?",
        id);
    assertThatThrownBy(() -> desk.release(id, "ann", " ", Retries.RESET))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("does not allow release (It allows release_with_guidance.)");
    assertThatThrownBy(() -> desk.cancel(id, "ann", null))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("does not allow cancel");
    assertThat(desk.release(id, "ann", "look there", Retries.RESET)).isEqualTo(TicketState.READY);
  }

  @Test
  @DisplayName("a pause survives, names who paused, and ends with resume")
  void pause() {
    sql.run("INSERT INTO holdfast.queues (name) VALUES ('paused')");
    desk.pauseQueue("paused", "pat");
    desk.pauseQueue("paused", "quentin");
    String paused =
        "SELECT concat_ws('|', paused, paused_by) FROM holdfast.queue_health WHERE queue ="
            + " 'paused'";
    assertThat(sql.value(paused)).isEqualTo("t|pat");
    sql.run("INSERT INTO holdfast.tickets (kind, queue) VALUES ('p', 'paused')");
    assertThatThrownBy(() -> tickets.claim("p")).isInstanceOf(NoSuchElementException.class);
    desk.resumeQueue("paused", "pat");
    assertThat(sql.value(paused)).isEqualTo("f");
    assertThat(tickets.claim("p")).isPositive();
    assertThat(
            sql.column(
                """
                SELECT concat_ws('|', action, actor) FROM holdfast.ticket_activity
                WHERE details ->> 'queue' = 'paused' ORDER BY id
                """))
        .containsExactly("queue_paused|pat", "queue_paused|quentin", "queue_resumed|pat");
  }

  @Test
  @DisplayName("A49: an unknown ticket or queue is refused, and the message says how to find one")
  void unknown() {
    assertThatThrownBy(() -> desk.release(987_654_321, "ann", null, Retries.RESET))
        .isInstanceOf(NotFoundException.class)
        .hasMessage("there is no ticket 987654321 (holdfast list shows the tickets)");
    assertThatThrownBy(() -> desk.resumeQueue("nowhere", "pat"))
        .isInstanceOf(NotFoundException.class)
        .hasMessage(
            "there is no queue \"nowhere\" (A queue begins with its first ticket, or with a worker"
                + " that names it; holdfast stats shows the queues.)");
  }

  @Test
  @DisplayName("empty words, bad names and NUL are refused")
  void badWords() {
    long id = tickets.in(TicketState.READY);
    assertInvalid(() -> desk.hold(id, "hal", " "), "reason must not be empty");
    assertInvalid(() -> desk.hold(id, "hal", "\r\n\t "), "reason must not be empty");
    assertInvalid(() -> desk.hold(id, "", "why"), "actor must not be empty");
    assertInvalid(() -> desk.hold(id, "\n", "why"), "actor must not be empty");
    assertInvalid(() -> desk.cancel(id, " ", "why"), "actor must not be empty");
    assertInvalid(() -> desk.cancel(id, "hal", " "), "reason must not be empty");
    assertInvalid(
        () -> desk.reject(tickets.in(TicketState.NEEDS_REVIEW), "hal", " "),
        "feedback must not be empty");
    assertInvalid(() -> desk.hold(id, "hal", "a\0b"), "the character NUL");
    assertThat(sql.value("SELECT state FROM holdfast.tickets WHERE id = ?", id)).isEqualTo("ready");
  }

  @Test
  @DisplayName("guidance of nothing but spaces and ends of lines is none")
  void blankGuidance() {
    long held = tickets.in(TicketState.ON_HOLD);
    sql.run("UPDATE holdfast.ticket_base SET hold_actions = '{release}' WHERE id = " + held);

    assertThat(sql.value("SELECT holdfast.release_ticket(?, 'ann', E' \\r\\n\\t')", held))
        .isEqualTo("ready");

    assertThat(
            sql.number("SELECT count(*) FROM holdfast.ticket_guidance WHERE ticket_id = ?", held))
        .isZero();
  }

  private static void assertInvalid(Callable<TicketState> action, String message) {
    assertThatThrownBy(action::call)
        .isInstanceOf(InvalidInputException.class)
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining(message);
  }

  @Test
  @DisplayName("an UPDATE is logged as the database user, or as whom holdfast.actor names")
  void updateActor() throws Exception {
    long id = tickets.in(TicketState.ON_HOLD);
    try (Connection connection = sql.dataSource().getConnection()) {
      TestSql.column(connection, "UPDATE holdfast.tickets SET state = 'ready' WHERE id = ?", id);
      assertThat(lastActivity(id))
          .startsWith("released|" + connection.getMetaData().getUserName() + "|");
      TestSql.column(connection, "SET holdfast.actor = 'eve'");
      TestSql.column(
          connection,
          "UPDATE holdfast.tickets SET state = 'on_hold', hold_reason = 'wait' WHERE id = ?",
          id);
      assertThat(lastActivity(id)).isEqualTo("held|eve|{\"reason\": \"wait\"}");
    }
  }

  private String lastActivity(long id) {
    return String.valueOf(
        sql.value(
            """
            SELECT concat_ws('|', action, actor, details) FROM holdfast.ticket_activity
            WHERE ticket_id = ? ORDER BY id DESC LIMIT 1
            """,
            id));
  }
}
