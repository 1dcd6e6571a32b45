package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.Usage;
import dev.holdfast.postgres.LossyDataSource;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.session.journal.JournalTotal;
import dev.holdfast.session.report.Spent;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@Timeout(120)
@EverySetup
class PostgresJournalIT {
  private static final JournalEntry HELLO = said("hello");
  private static final JournalEntry AGAIN = said("again");

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresJournalStore store;
  private final PostgresJournalReader reader;

  PostgresJournalIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.store =
        new PostgresJournalStore(database.dataSource(), "holdfast", Sleeper.REAL, Secrets.NONE);
    this.reader = new PostgresJournalReader(database.dataSource(), "holdfast");
  }

  private static JournalEntry said(String text) {
    return new JournalEntry.Said(new Input("key", text));
  }

  /** A ticket in progress. */
  private record Running(long id, long lease) {}

  private Running running() {
    long id = queue.enqueue();
    return new Running(id, queue.claim());
  }

  private Journal open(Running running) {
    return store.open(running.id, running.lease);
  }

  @Test
  @DisplayName(
      "a session whose last steps the database has lost, as after a failover, adds none behind the"
          + " gap")
  void lostSteps() {
    Running running = running();
    Journal journal = open(running);
    journal.append(List.of(HELLO));
    journal.append(List.of(AGAIN));
    database.run(
        "DELETE FROM holdfast.session_journal WHERE seq = 2 AND ticket_id = " + running.id);

    assertThatThrownBy(() -> journal.append(List.of(HELLO)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lost");
    assertThat(open(running).entries()).containsExactly(HELLO);
    open(running).append(List.of(AGAIN));
  }

  @Test
  @DisplayName("what was appended is read in order, by this attempt and by the next")
  void roundTrip() {
    Running first = running();
    Journal journal = open(first);
    assertThat(journal.entries()).isEmpty();
    journal.append(List.of());
    journal.append(List.of(HELLO, AGAIN));
    journal.append(JournalEntries.OF_EVERY_KIND);
    queue.giveBack(first.id, first.lease);

    Journal next = store.open(first.id, queue.claim());
    next.append(List.of(HELLO));

    List<JournalEntry> all = new ArrayList<>(List.of(HELLO, AGAIN));
    all.addAll(JournalEntries.OF_EVERY_KIND);
    all.add(HELLO);
    assertThat(next.entries()).isEqualTo(all);
    assertThat(
            database.value(
                "SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind) FROM holdfast.session_journal"
                    + " WHERE ticket_id = ?",
                first.id))
        .isEqualTo(
            "answered compacted discarded ended said step_finished tool_finished tool_started"
                + " turn_failed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nul \0 in it",
        "\0",
        "half a pair \uD83D and \uDE00",
        "\uDE00\uD83D",
        "a pair \uD83D\uDE00",
        "the mark \uFDD0 itself \uFDD00000",
        "\\u0000 as words, \\\\u0000",
        "\\\0\"\n\u2028",
      })
  @DisplayName("A54: NUL and halves of surrogate pairs survive")
  void unstorable(String text) {
    Running running = running();
    open(running).append(List.of(said(text)));

    assertThat(open(running).entries()).containsExactly(said(text));
  }

  @Test
  @DisplayName("an append whose answer was lost is not written twice")
  void lostAnswer() {
    Running running = running();
    LossyDataSource lossy = new LossyDataSource(database.dataSource());
    Journal journal =
        new PostgresJournalStore(lossy, "holdfast", time -> {}, Secrets.NONE)
            .open(running.id, running.lease);
    journal.append(List.of(HELLO));
    lossy.loseNextAnswers(2);
    journal.append(List.of(AGAIN, AGAIN));
    journal.append(List.of(HELLO));

    assertThat(lossy.lost()).isEqualTo(2);
    assertThat(open(running).entries()).containsExactly(HELLO, AGAIN, AGAIN, HELLO);
  }

  @Test
  @DisplayName("a database that stays away ends the append with an error, at last")
  void away() {
    Running running = running();
    LossyDataSource lossy = new LossyDataSource(database.dataSource());
    AtomicInteger waits = new AtomicInteger();
    Journal journal =
        new PostgresJournalStore(lossy, "holdfast", time -> waits.incrementAndGet(), Secrets.NONE)
            .open(running.id, running.lease);
    lossy.refuse();

    assertThatThrownBy(() -> journal.append(List.of(HELLO)))
        .isInstanceOf(DatabaseUnavailableException.class);
    assertThat(waits).hasValue(13);
  }

  @Test
  @DisplayName("an interrupt neither cuts an append off nor gets lost")
  void interrupted() throws Exception {
    Running running = running();
    CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              Thread.currentThread().interrupt();
              open(running).append(List.of(HELLO));
              stillInterrupted.complete(Thread.currentThread().isInterrupted());
            });

    assertThat(stillInterrupted).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(true);
    assertThat(reader.rows(running.id)).hasSize(1);
  }

  /** Once: how long is too long is not the server's matter. */
  @Tag("slow")
  @Test
  @DisplayName(
      "a long session is read in parts, all of it or its end, and its use is the database's sum")
  void longSession() {
    Running running = running();
    Journal journal = open(running);
    journal.append(JournalEntries.OF_EVERY_KIND);
    int kinds = JournalEntries.OF_EVERY_KIND.size();
    journal.append(Collections.nCopies(900, HELLO));
    journal.append(List.of(said("long".repeat(500_000))));
    journal.append(Collections.nCopies(3, said("longer".repeat(500_000))));
    journal.append(List.of(said("too long".repeat(600_000)), HELLO));
    int all = kinds + 906;

    assertThat(reader.rows(running.id))
        .extracting(JournalRow::seq)
        .isEqualTo(LongStream.rangeClosed(1, all).boxed().toList());
    assertThat(reader.newest(running.id)).extracting(JournalRow::seq).endsWith((long) all);
    assertThat(reader.newest(running.id))
        .extracting(row -> row.entry().length())
        .satisfiesExactly(
            length -> assertThat(length).isGreaterThan(3_000_000),
            length -> assertThat(length).isGreaterThan(3_000_000),
            length -> assertThat(length).isZero(),
            length -> assertThat(length).isPositive());
    assertThat(reader.total(running.id))
        .isEqualTo(new JournalTotal(all, 4, new Usage(500, 100, 15, 50), new BigDecimal("0.0224")));
  }

  @Test
  @DisplayName("a session of many small steps has the newest 400 on a page")
  void manySteps() {
    Running running = running();
    open(running).append(Collections.nCopies(500, HELLO));
    assertThat(reader.newest(running.id))
        .extracting(JournalRow::seq)
        .isEqualTo(LongStream.rangeClosed(101, 500).boxed().toList());
    assertThat(reader.total(running.id)).isEqualTo(new JournalTotal(500, 0, Usage.NONE, null));
  }

  @Test
  @DisplayName("release with fresh begins with an empty journal and keeps the old one on record")
  void fresh() {
    Running first = running();
    open(first).append(List.of(HELLO, AGAIN));
    startOver(first);
    Running second = new Running(first.id, queue.claim());

    assertThat(open(second).entries()).isEmpty();
    Journal journal = open(second);
    journal.append(List.of(AGAIN));
    assertThat(open(second).entries()).containsExactly(AGAIN);
    assertThat(reader.rows(first.id))
        .extracting(JournalRow::kind)
        .containsExactly("said", "said", JournalRow.STARTED_OVER, "said");
    assertThat(
            database.value(
                "SELECT details->>'fresh' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " action = 'released'",
                first.id))
        .isEqualTo("true");
  }

  @Test
  @DisplayName("what given-up sessions have used is told to each later one, to be counted")
  void spentBefore() {
    Running first = running();
    open(first).append(JournalEntries.OF_EVERY_KIND);
    assertThat(open(first).spentBefore()).as("nothing is given up").isEqualTo(Spent.NOTHING);
    startOver(first);
    Spent once = new Spent(4, JournalEntries.usage(5), new BigDecimal("0.0224"));
    Running second = new Running(first.id, queue.claim());
    assertThat(open(second).spentBefore()).isEqualTo(once);

    open(second).append(JournalEntries.OF_EVERY_KIND);
    assertThat(open(second).spentBefore()).isEqualTo(once);
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES (?,"
            + " 1000, 1, 'discarded', '{\"usage\": {\"input\": \"x\"}, \"costUsd\": \"1 EUR\"}')",
        first.id);
    startOver(second);
    assertThat(store.open(first.id, queue.claim()).spentBefore())
        .as("of what cannot be read only that there was an answer")
        .isEqualTo(new Spent(9, JournalEntries.usage(10), new BigDecimal("0.0448")));
  }

  private void startOver(Running running) {
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'look')", running.id);
    database.run("SELECT holdfast.release_ticket(?, 'ann', fresh => true)", running.id);
  }

  @Test
  @DisplayName("release without fresh goes on; fresh of a ticket without a session does nothing")
  void goesOn() {
    Running first = running();
    open(first).append(List.of(HELLO));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'look')", first.id);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", first.id);
    assertThat(store.open(first.id, queue.claim()).entries()).containsExactly(HELLO);

    Running other = running();
    startOver(other);
    assertThat(reader.rows(other.id)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "7",
        "{\"entry\": \"of a later version\"}",
        "{\"entry\": \"answered\"}",
        "{\"entry\": \"said\", \"input\": \"cut sh\"}",
        "{\"entry\": \"tool_finished\", \"turn\": 1, \"reply\": {\"outcome\": \"MAYBE\"}}",
      })
  @DisplayName("garbage in the journal is named with its row and the way out")
  void garbage(String entry) {
    Running running = running();
    open(running).append(List.of(HELLO));
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES (?, 2,"
            + " 1, 'odd', ?::jsonb)",
        running.id,
        entry);

    assertThatThrownBy(() -> open(running).entries())
        .isInstanceOf(HoldfastException.class)
        .hasMessageContaining("row 2 (odd)")
        .hasMessageContaining("holdfast release " + running.id + " --fresh");
  }

  @Test
  @DisplayName("a journal of an old, missing schema is no surprise either")
  void noTable() throws SQLException {
    assertThatThrownBy(
            () ->
                new PostgresJournalStore(database.dataSource(), "nowhere", t -> {}, Secrets.NONE)
                    .open(1, 1)
                    .entries())
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageContaining("holdfast migrate");
  }
}
