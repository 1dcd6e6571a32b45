package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.AttemptHistory;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What later attempts and people learn from earlier ones. */
@WithDatabase
@EverySetup
class AttemptHistoryIT {
  private static final ToolCall RUN = new ToolCall("c", "run_command", "{}");

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresJournalStore store;
  private final AttemptHistory book;

  AttemptHistoryIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.store =
        new PostgresJournalStore(database.dataSource(), "holdfast", time -> {}, Secrets.NONE);
    this.book = new PostgresAttemptHistory(database.dataSource(), "holdfast");
  }

  private long enqueue() {
    String design = "design-" + queue.kind();
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?, '{}')",
        design,
        queue.kind());
    return database.number("SELECT holdfast.enqueue_ticket(design => ?)", design);
  }

  /** One attempt with two answers, of which each costs 0.0123, and three calls. */
  private long attempt(long id) {
    long lease = queue.claim();
    store
        .open(id, lease)
        .append(
            List.of(
                JournalEntries.answered(1, RUN),
                finished(ToolReply.Outcome.OK),
                finished(ToolReply.Outcome.FAILED),
                JournalEntries.answered(2, RUN),
                finished(ToolReply.Outcome.FAILED)));
    return lease;
  }

  private static JournalEntry finished(ToolReply.Outcome outcome) {
    return new JournalEntry.ToolFinished(1, new ToolReply(RUN, outcome, "x", 1));
  }

  @Test
  @DisplayName("5.6: what failed before is known with its tools, unless the session starts over")
  void failedBefore() {
    long id = enqueue();
    long lease = attempt(id);
    queue.fail(id, lease, Category.TRANSIENT);

    assertThat(book.failed(id))
        .containsExactly(
            new AttemptHistory.Failed(
                1, lease, "transient", "it broke", "run_command 3 times (2 failed)"));

    queue.makeDue(id);
    queue.giveBack(id, queue.claim());
    assertThat(book.failed(id)).as("one that was given back teaches nothing").hasSize(1);
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'look')", id);
    new PostgresTicketDesk(database.dataSource())
        .release(id, "ann", null, TicketDesk.Retries.RESET, TicketDesk.Conversation.START_OVER);
    assertThat(book.failed(id)).isEmpty();
  }

  @Test
  @DisplayName("5.6: summaries count for their model, and a call without an answer is none")
  void summariesAndCutCalls() {
    long id = enqueue();
    long lease = queue.claim();
    Target target = new Target("openai", "model-of-" + id);
    Usage usage = new Usage(100, 0, 0, 10);
    BigDecimal cost = new BigDecimal("0.25");
    store
        .open(id, lease)
        .append(
            List.of(
                new JournalEntry.Compacted(List.of(), true, target, usage, cost),
                new JournalEntry.Discarded(1, 1, target, "empty", usage, cost, null, false),
                new JournalEntry.Discarded(1, 2, target, "timeout", usage, cost, null, true)));
    queue.succeed(id, lease);
    assertThat(
            database.value(
                "SELECT concat_ws(' ', answers, discarded, tokens_in, tokens_out, cost_usd) FROM"
                    + " holdfast.outcomes_by_model WHERE model = ?",
                target.model()))
        .isEqualTo("2 1 300 30 0.75");
    assertThat(costs(id)).isEqualTo("2 300 30 0.75");

    long cut =
        database.number("SELECT holdfast.enqueue_ticket(design => ?)", "design-" + queue.kind());
    long cutLease = queue.claim();
    store
        .open(cut, cutLease)
        .append(
            List.of(new JournalEntry.Discarded(1, 1, target, "timeout", usage, cost, null, true)));
    queue.succeed(cut, cutLease);
    assertThat(costs(cut)).as("it may have been paid for").isEqualTo("0 100 10 0.25");
  }

  private String costs(long id) {
    return database.value(
        "SELECT concat_ws(' ', answers, tokens_in, tokens_out, cost_usd) FROM"
            + " holdfast.attempt_costs WHERE ticket_id = ?",
        id);
  }

  @Test
  @DisplayName("5.6: views show cost and success by design, model, category and fingerprint")
  void views() {
    long id = enqueue();
    queue.fail(id, attempt(id), Category.TRANSIENT);
    queue.makeDue(id);
    queue.succeed(id, attempt(id));
    String design = "design-" + queue.kind();

    assertThat(
            database.rows(
                "SELECT attempts, succeeded, success_percent, cost_usd, cost_per_success_usd FROM"
                    + " holdfast.outcomes_by_design WHERE design = ?",
                design))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("attempts", "2")
                    .containsEntry("succeeded", "1")
                    .containsEntry("success_percent", "50.00")
                    .containsEntry("cost_usd", "0.0492")
                    .containsEntry("cost_per_success_usd", "0.049200"));
    assertThat(
            database.value(
                "SELECT concat_ws(' ', answers, tokens_in, tokens_out, cost_usd) FROM"
                    + " holdfast.attempt_costs WHERE ticket_id = ? AND outcome = 'failed'",
                id))
        .isEqualTo("2 246 20 0.0246");
    assertThat(
            database.number(
                "SELECT answers FROM holdfast.outcomes_by_model WHERE provider = 'openai' AND model"
                    + " = 'gpt' AND success_percent > 0"))
        .isGreaterThanOrEqualTo(4);
    assertThat(
            database.value(
                "SELECT concat_ws(' ', category, attempts, tickets, cost_usd) FROM"
                    + " holdfast.outcomes_by_error WHERE last_ticket_id = ?",
                id))
        .isEqualTo("transient 1 1 0.0246");
  }
}
