package dev.holdfast.postgres.engine;

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
import dev.holdfast.ticket.ClaimedTicket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The failure of a first attempt is decided without a look at the ticket. Each of these tickets
 * would come to another decision unless it were looked at after all.
 */
@WithDatabase
@EverySetup
class FirstFailureIT {
  private static final String NO_RETRIES =
      "'{\"categories\": {\"transient\": {\"max_retries\": 0}}}'";

  private final TicketDatabase database;
  private final TestQueue queue;

  FirstFailureIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  @ParameterizedTest
  @DisplayName("A17, A26, A33, A48, A60: a ticket of which something is known is looked at")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nothing is known     | Retried | priority = 7
          retries of its own   | Held    | retry_strategy = %1$s
          retries of its queue | Held    | queue = 'patient-none'
          those of its design  | Held    | design_id = (SELECT id FROM holdfast.designs WHERE name = 'none')
          retries used up      | Held    | retry_count = 3
          some retries used up | Retried | retry_count = 1
          counts by category   | Retried | retry_counts = '{"api_error": 2}'
          the same error before| Retried | same_error_count = 2, error_fingerprint = 'it broke'
          its fingerprint      | Retried | error_fingerprint = 'it broke'
          another error        | Retried | same_error_count = 2
          a worker that died   | Retried | crash_count = 1
          """)
  void lookedAt(String known, String becomes, String columns) {
    database.run(
        "INSERT INTO holdfast.queues (name, retry) VALUES ('patient-none', "
            + NO_RETRIES
            + ") ON CONFLICT DO NOTHING");
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('none', 1, 'x',"
            + " jsonb_build_object('retry', "
            + NO_RETRIES
            + "::jsonb)) ON CONFLICT DO NOTHING");
    List<Map<String, @Nullable String>> rows = new ArrayList<>();
    for (boolean first : List.of(true, false)) {
      long id = queue.enqueue();
      long lease = queue.claim();
      database.run(
          "UPDATE holdfast.ticket_base SET " + columns.formatted(NO_RETRIES) + " WHERE id = ?", id);

      FinishResult result = fail(failed(id, lease, "it broke", first)).getFirst();

      assertThat(result.getClass().getSimpleName()).as(known).isEqualTo(becomes);
      rows.add(stored(id));
    }

    assertThat(rows.getFirst()).as(known).isEqualTo(rows.getLast());
  }

  /** Ticket, attempt and activity, but for numbers and times that no two tickets share. */
  private Map<String, @Nullable String> stored(long id) {
    Map<String, @Nullable String> all = new HashMap<>(database.row(id));
    all.putAll(
        database
            .rows(
                "SELECT attempt, outcome, worker_id, category AS attempt_category, rule,"
                    + " fingerprint, error AS attempt_error, details - 'leaseNo' AS details"
                    + " FROM holdfast.ticket_attempts a JOIN holdfast.ticket_activity USING"
                    + " (ticket_id) WHERE ticket_id = ?",
                id)
            .getFirst());
    for (String column :
        List.of("id", "fence", "created_at", "updated_at", "started_at", "completed_at")) {
      all.remove(column);
    }
    for (String time : List.of("retry_after", "held_at")) {
      all.computeIfPresent(time, (column, value) -> "some time");
    }
    return all;
  }

  @Test
  @DisplayName("A22, A31: what first and later attempts are answered fits what is stored")
  void mixed() {
    queue.enqueue(5);
    List<ClaimedTicket> tickets = queue.claim(5);
    long lease = tickets.getFirst().lease().no();
    long gone = tickets.get(4).id();
    database.run("SELECT holdfast.cancel_ticket(?, 'test')", gone);

    List<FinishResult> results =
        fail(
            failed(tickets.get(0).id(), lease, "one", true),
            failed(tickets.get(1).id(), lease, "two", false),
            failed(tickets.get(2).id(), lease, "one", true),
            failed(tickets.get(3).id(), lease, "three", true),
            failed(gone, lease, "one", true));

    assertThat(results.getLast()).isEqualTo(new FinishResult.Stale(gone));
    for (int i = 0; i < 4; i++) {
      long id = tickets.get(i).id();
      FinishResult.Retried retried = (FinishResult.Retried) results.get(i);
      assertThat(retried.ticketId()).isEqualTo(id);
      assertThat(
              database.value(
                  "SELECT retry_after = ?::timestamptz FROM holdfast.ticket_base WHERE id = ?",
                  retried.retryAfter().toString(),
                  id))
          .isEqualTo("t");
    }
    assertThat(
            database.column(
                "SELECT b.error || ' ' || a.error || ' ' || (v.details ->> 'error')"
                    + " FROM holdfast.ticket_base b"
                    + " JOIN holdfast.ticket_attempts a ON a.ticket_id = b.id"
                    + " JOIN holdfast.ticket_timeline v ON v.ticket_id = b.id"
                    + " WHERE b.kind = ? AND v.event = 'retry_decision' ORDER BY b.id",
                queue.kind()))
        .containsExactly("one one one", "two two two", "one one one", "three three three");
  }

  @Test
  @DisplayName("A52: a ticket that was given back before is no first attempt, whoever says so")
  void givenBack() {
    long id = queue.enqueue();
    queue.giveBack(id, queue.claim());

    fail(failed(id, queue.claim(), "one", true));

    assertThat(database.row(id))
        .containsEntry("retry_count", "1")
        .containsEntry("attempt_count", "2");
    assertThat(database.outcomes(id)).containsExactly("given_back", "failed");
  }

  @Test
  @DisplayName("A51: the failure of a first attempt that a person took the ticket from is stale")
  void taken() {
    long id = queue.enqueue();
    long lease = queue.claim();
    database.run("SELECT holdfast.hold_ticket(?, 'test', 'wait')", id);
    database.run("SELECT holdfast.release_ticket(?, 'test')", id);

    assertThat(fail(failed(id, lease, "late", true))).containsExactly(new FinishResult.Stale(id));
    assertThat(database.row(id)).containsEntry("retry_count", "0").containsEntry("error", null);
  }

  @Test
  @DisplayName("A48: the same first failure twice in a batch is decided once")
  void twice() {
    long id = queue.enqueue();
    long lease = queue.claim();

    fail(failed(id, lease, "one", true), failed(id, lease, "one", true));

    assertThat(database.row(id)).containsEntry("retry_count", "1");
    assertThat(database.outcomes(id)).containsExactly("failed");
  }

  private List<FinishResult> fail(Finish... failures) {
    return queue.queue().finish(List.of(failures), List.of(failures[0].leaseNo()));
  }

  private static Finish failed(long id, long lease, String text, boolean first) {
    Failure failure = TestQueue.failure(Category.TRANSIENT, text);
    return new Finish.Failed(id, lease, failure, null, null, first);
  }
}
