package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.IllegalTransitionException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attempt that is over writes no more. */
@WithDatabase
@Timeout(120)
@EverySetup
class PostgresJournalFenceIT {
  private static final JournalEntry HELLO = said("hello");
  private static final JournalEntry AGAIN = said("again");

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresJournalStore store;
  private final PostgresJournalReader reader;

  PostgresJournalFenceIT(TestDatabase database) {
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
  @DisplayName("an append under a lease that is over is refused and writes nothing")
  void fenced() {
    Running first = running();
    Journal old = open(first);
    old.append(List.of(HELLO));
    queue.expire(first.lease);
    assertThat(queue.queue().rescue(10)).isNotEmpty();
    assertThatThrownBy(() -> old.append(List.of(AGAIN)))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("closed to lease " + first.lease);
    queue.makeDue(first.id);
    Running second = new Running(first.id, queue.claim());

    assertThatThrownBy(() -> old.append(List.of(AGAIN)))
        .isInstanceOf(IllegalTransitionException.class);
    open(second).append(List.of(AGAIN));

    assertThat(open(second).entries()).containsExactly(HELLO, AGAIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hold_ticket(?, 'ann', 'stop')", "cancel_ticket(?, 'ann')"})
  @DisplayName("no append once a person has taken the ticket away")
  void revoked(String call) {
    Running running = running();
    Journal journal = open(running);
    database.run("SELECT holdfast." + call, running.id);

    assertThatThrownBy(() -> journal.append(List.of(HELLO)))
        .isInstanceOf(IllegalTransitionException.class);
    assertThat(reader.rows(running.id)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"hold_ticket(?, 'ann', 'stop')", "cancel_ticket(?, 'ann')"})
  @DisplayName("what a call may have cost that a person broke off is kept while nobody else has it")
  void late(String call) {
    Running running = running();
    Journal journal = open(running);
    journal.append(List.of(HELLO));
    journal.appendLate(AGAIN);
    database.run("SELECT holdfast." + call, running.id);

    journal.appendLate(AGAIN);
    open(running).appendLate(HELLO);
    assertThat(open(running).entries()).containsExactly(HELLO, AGAIN, AGAIN, HELLO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hold_ticket(?, 'ann', 'stop')", "cancel_ticket(?, 'ann')"})
  @DisplayName(
      "an answer that comes whole while a person takes the ticket away counts as one of no use")
  void paid(String call) {
    Running running = running();
    Journal journal = open(running);
    journal.append(List.of(HELLO));
    database.run("SELECT holdfast." + call, running.id);
    JournalEntry.Answered answer = JournalEntries.answered(1);

    assertThatThrownBy(() -> journal.append(List.of(answer)))
        .isInstanceOf(IllegalTransitionException.class);

    assertThat(open(running).entries())
        .containsExactly(
            HELLO,
            new JournalEntry.Discarded(
                1,
                answer.attempt(),
                answer.target(),
                "aborted",
                answer.usage(),
                answer.costUsd(),
                null,
                false));
    assertThat(
            database.value(
                "SELECT answers || ' ' || cost_usd FROM holdfast.attempt_costs WHERE ticket_id = ?",
                running.id))
        .isEqualTo("1 " + answer.costUsd());
  }

  @Test
  @DisplayName("a late entry is dropped once the ticket is anybody else's, and throws nothing")
  void tooLate() {
    Running first = running();
    Journal old = open(first);
    old.append(List.of(HELLO));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'stop')", first.id);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", first.id);
    old.appendLate(AGAIN);
    Running second = new Running(first.id, queue.claim());
    old.appendLate(AGAIN);
    open(second).append(List.of(HELLO));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'stop')", first.id);
    old.appendLate(AGAIN);
    database.run("DELETE FROM holdfast.session_journal WHERE ticket_id = ? AND seq > 1", first.id);
    old.appendLate(AGAIN);
    assertThat(reader.rows(first.id)).hasSize(1);
  }

  @Test
  @DisplayName("an append with a lease of somebody else's ticket is refused")
  void leaseOfAnother() {
    Running one = running();
    Running other = running();

    assertThatThrownBy(() -> store.open(one.id, other.lease).append(List.of(HELLO)))
        .isInstanceOf(IllegalTransitionException.class);
  }

  @Test
  @DisplayName(
      "an append whose first try commits late, its answer lost, is written once and fails not")
  void committedLate() throws Exception {
    Running running = running();
    open(running).append(List.of(HELLO));
    String of = "FROM holdfast.session_journal j WHERE ticket_id = ?";
    String row = database.value("SELECT to_jsonb(j) " + of, running.id);
    database.run("DELETE " + of, running.id);
    CompletableFuture<Void> again;
    try (Connection first = database.dataSource().getConnection()) {
      first.setAutoCommit(false);
      TestSql.column(
          first,
          "INSERT INTO holdfast.session_journal SELECT"
              + " (jsonb_populate_record(NULL::holdfast.session_journal, ?::jsonb)).* RETURNING"
              + " seq",
          row);
      again =
          CompletableFuture.runAsync(
              () -> open(running).append(List.of(HELLO)), Thread::startVirtualThread);
      Awaitility.await()
          .pollInterval(Duration.ofMillis(10))
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                              + " current_database() AND wait_event_type = 'Lock' AND query LIKE"
                              + " '%steps of a session%'")
                      > 0);
      first.commit();
    }
    again.get(30, TimeUnit.SECONDS);
    assertThat(open(running).entries()).containsExactly(HELLO);
  }

  @Test
  @DisplayName("an append and the end of its lease never overlap: it waits, and is then refused")
  void race() throws Exception {
    Running running = running();
    Journal journal = open(running);
    CompletableFuture<Void> append;
    try (Connection person = database.dataSource().getConnection()) {
      person.setAutoCommit(false);
      TestSql.column(person, "SELECT holdfast.hold_ticket(?, 'ann', 'stop')", running.id);
      append =
          CompletableFuture.runAsync(
              () -> journal.append(List.of(HELLO)), Thread::startVirtualThread);
      Awaitility.await()
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                              + " current_database() AND wait_event_type = 'Lock' AND query LIKE"
                              + " '%steps of a session%'")
                      > 0);
      assertThat(append).isNotDone();
      person.commit();
    }
    assertThat(append)
        .failsWithin(20, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(IllegalTransitionException.class);
  }

  @Test
  @DisplayName("two sessions under one lease are told so")
  void twoWriters() {
    Running running = running();
    Journal one = open(running);
    Journal other = open(running);
    one.append(List.of(HELLO));
    other.append(List.of(HELLO));

    assertThatThrownBy(() -> one.append(List.of(AGAIN)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two sessions");
  }
}
