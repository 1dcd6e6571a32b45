package dev.holdfast.postgres.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.batch.Batch;
import dev.holdfast.batch.BatchDesk;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.engine.PostgresBatchKeeper;
import dev.holdfast.postgres.engine.PostgresTicketPruner;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.Retention;
import dev.holdfast.queue.TicketInbox.Batched;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("A batch")
class BatchesIT {
  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final BatchDesk desk;
  private final TestTickets tickets;
  private final PostgresBatchKeeper keeper;
  private final String kind = "batch-" + UUID.randomUUID();

  BatchesIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.desk = new PostgresBatchDesk(pool, "holdfast");
    this.tickets = new TestTickets(pool);
    this.keeper = new PostgresBatchKeeper(pool, "holdfast");
  }

  private Batched enqueue(int count) {
    return inbox.enqueueBatch(
        Collections.nCopies(count, NewTicket.ofKind(kind)).iterator(), "ann", "some words");
  }

  private List<ClaimedTicket> claim(int most) {
    return tickets
        .queue()
        .claim(new ClaimRequest("worker-1", Set.of(kind), Set.of(), most, Duration.ofMinutes(5)))
        .tickets();
  }

  private void finish(int most) {
    claim(most).forEach(each -> tickets.succeed(each.id(), each.lease().no(), false));
  }

  /** As workers do, but without their pauses. */
  private void advance() {
    database.run("UPDATE holdfast.batches SET look_at = now() WHERE ended_at IS NULL");
    while (keeper.advance().isZero()) {
      // There is more to do.
    }
  }

  /** Counted now, however short the last count is ago. */
  private Batch progress(long batch) {
    database.run("UPDATE holdfast.batches SET counted_at = counted_at - interval '1 hour'");
    return desk.find(batch);
  }

  private List<Long> ids(long batch) {
    return database
        .column("SELECT id FROM holdfast.tickets WHERE batch_id = ? ORDER BY id", batch)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  @Test
  @DisplayName("is counted and ends when the server's clock, which was ahead, has been set back")
  void clockWasAhead() {
    long batch = enqueue(2).batchId();
    assertThat(desk.find(batch).done()).isZero();
    finish(2);
    database.run(
        "UPDATE holdfast.batches SET look_at = look_at + interval '9 days', counted_at = counted_at"
            + " + interval '9 days'");
    assertThat(desk.find(batch).done()).isEqualTo(2);
    while (keeper.advance().isZero()) {
      // There is more to do.
    }
    assertThat(desk.find(batch).endedAt()).isNotNull();
  }

  @Test
  @DisplayName("may be a graph of tickets with names, and of keys that hold for a time")
  void graph() {
    String graph =
        """
        [{"kind": "%1$s", "name": "last", "after": ["first"]}, {"kind": "%1$s", "name": "first"},
         {"kind": "%1$s", "unique_key": "%1$s", "unique_for": "open", "on_duplicate": "%2$s"}]\
        """;
    long batch =
        database.number(
            "SELECT holdfast.enqueue_batch(?::jsonb, 'ann')", graph.formatted(kind, "refuse"));
    assertThat(progress(batch).total()).isEqualTo(3);
    assertThat(claim(10)).as("the last one waits for the first one").hasSize(2);
    assertThatThrownBy(
            () ->
                database.number(
                    "SELECT holdfast.enqueue_batch(?::jsonb, 'ann')",
                    graph.formatted(kind, "refuse")))
        .hasStackTraceContaining("has the unique key");
    long kept =
        database.number(
            "SELECT holdfast.enqueue_batch(?::jsonb, 'ann')",
            "[{\"kind\": \"%1$s\", \"unique_key\": \"%1$s\", \"unique_for\": \"open\"}]"
                .formatted(kind));
    assertThat(database.number("SELECT total FROM holdfast.batches WHERE id = ?", kept)).isZero();
    assertThatThrownBy(
            () ->
                database.number(
                    "SELECT holdfast.enqueue_batch('[{\"kind\": \"x\", \"after\": [\"y\"]}]',"
                        + " 'ann')"))
        .hasStackTraceContaining("ticket 1 of the list waits for \"y\"");
  }

  @Test
  @DisplayName("says how far it is, and ends when all its tickets are done or cancelled")
  void progress() {
    Batched batch = enqueue(10);
    assertThat(batch.added()).isEqualTo(10);
    finish(3);
    List<ClaimedTicket> running = claim(2);
    List<Long> ids = ids(batch.batchId());
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ids.get(5));
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", ids.get(6));

    Batch seen = progress(batch.batchId());
    assertThat(seen.title()).isEqualTo("some words");
    assertThat(seen.createdBy()).isEqualTo("ann");
    assertThat(seen.total()).isEqualTo(10);
    assertThat(List.of(seen.ready(), seen.inProgress(), seen.onHold(), seen.done()))
        .containsExactly(3L, 2L, 1L, 3L);
    assertThat(seen.cancelled()).isOne();
    assertThat(seen.progress()).startsWith("4 of 10, 1 on hold, 1 cancelled, done in about ");

    running.forEach(each -> tickets.succeed(each.id(), each.lease().no(), false));
    finish(10);
    advance();
    assertThat(progress(batch.batchId()).progress()).isEqualTo("9 of 10, 1 on hold, 1 cancelled");
    database.run("SELECT holdfast.release_ticket(?, 'ann')", ids.get(5));
    finish(1);
    // Retention does not change what is told of them.
    advance();
    database.run("DELETE FROM holdfast.tickets WHERE batch_id = ?", batch.batchId());
    assertThat(progress(batch.batchId()).progress()).isEqualTo("10 of 10, 1 cancelled, ended");
  }

  @Test
  @DisplayName("counts what retention deletes before its end as ended")
  void deleted() {
    Batched batch = enqueue(4);
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ids(batch.batchId()).getFirst());
    finish(2);
    advance();
    database.run(
        "DELETE FROM holdfast.tickets WHERE batch_id = ? AND state = 'done'", batch.batchId());
    Batch seen = progress(batch.batchId());
    assertThat(List.of(seen.total(), seen.done(), seen.deleted(), seen.ready()))
        .containsExactly(4L, 2L, 0L, 1L);
    assertThat(seen.progress()).startsWith("2 of 4, 1 on hold");
    database.run("SELECT holdfast.cancel_batch(?, 'ann')", batch.batchId());
    advance();
    database.run("DELETE FROM holdfast.tickets WHERE batch_id = ?", batch.batchId());
    Batch ended = progress(batch.batchId());
    assertThat(List.of(ended.total(), ended.done(), ended.cancelled())).containsExactly(4L, 2L, 2L);
    assertThat(ended.progress()).isEqualTo("4 of 4, 2 cancelled, ended");
  }

  @Test
  @DisplayName("has what retention deleted while it took tickets, and counts nothing twice")
  void deletedWhileOpen() {
    long batch = database.number("SELECT holdfast.open_batch('ann')");
    for (int i = 0; i < 3; i++) {
      inbox.enqueue(NewTicket.ofKind(kind).withBatchId(batch));
    }
    finish(2);
    assertThat(progress(batch).done()).isEqualTo(2);
    database.run("DELETE FROM holdfast.tickets WHERE batch_id = ? AND state = 'done'", batch);
    Batch atOnce = desk.find(batch);
    assertThat(List.of(atOnce.total(), atOnce.done(), atOnce.ready())).containsExactly(3L, 2L, 1L);
    assertThat(database.number("SELECT holdfast.close_batch(?, 'ann')", batch)).isEqualTo(3);
    finish(1);
    assertThat(progress(batch).done()).isEqualTo(3);
    advance();
    Batch settled = desk.find(batch);
    assertThat(List.of(settled.total(), settled.done())).containsExactly(3L, 3L);
    assertThat(settled.progress()).isEqualTo("3 of 3, ended");
  }

  @Test
  @DisplayName("counts no ticket twice between the look of a worker and the next count")
  void settledBetweenCounts() {
    Batched batch = enqueue(3);
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ids(batch.batchId()).get(1));
    finish(2);
    assertThat(progress(batch.batchId()).done()).isEqualTo(2);
    // As if counting had taken long, so that nobody counts again soon.
    database.run("UPDATE holdfast.batches SET count_took = interval '1 minute'");
    advance();
    assertThat(desk.find(batch.batchId()).done()).isEqualTo(2);
  }

  @Test
  @DisplayName("runs the tickets that wait for it when it has ended, with one row for each of them")
  void followers() {
    Batched batch = enqueue(25);
    long follower =
        inbox.enqueue(NewTicket.ofKind(kind + "-after").withAfterBatch(batch.batchId()));
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.batch_followers WHERE batch_id = ?",
                batch.batchId()))
        .isOne();
    finish(24);
    advance();
    assertThat(
            database.value(
                "SELECT waits_for FROM holdfast.waiting_tickets WHERE ticket_id = ?", follower))
        .isEqualTo("batch " + batch.batchId());
    assertThat(isClaimable(follower)).isFalse();
    finish(1);
    advance();
    assertThat(isClaimable(follower)).isTrue();
    long late = inbox.enqueue(NewTicket.ofKind(kind).withAfterBatch(batch.batchId()));
    assertThat(isClaimable(late)).isTrue();
  }

  private boolean isClaimable(long id) {
    return database.number("SELECT count(*) FROM holdfast.ready WHERE id = ?", id) == 1;
  }

  @Test
  @DisplayName("walks over its tickets in pages, and an empty one ends at once")
  void pages() {
    Batched batch = enqueue(7);
    finish(7);
    for (int page = 0; page < 2; page++) {
      database.run(
          "SELECT holdfast.advance_batch(b, 3) FROM holdfast.batches b WHERE id = ?",
          batch.batchId());
      assertThat(desk.find(batch.batchId()).endedAt()).isNull();
    }
    database.run(
        "SELECT holdfast.advance_batch(b, 3) FROM holdfast.batches b WHERE id = ?",
        batch.batchId());
    assertThat(desk.find(batch.batchId()).endedAt()).isNotNull();
    Batched empty = enqueue(0);
    advance();
    assertThat(desk.find(empty.batchId()).progress()).isEqualTo("0 of 0, ended");
    assertThat(desk.list(2, null))
        .extracting(Batch::id)
        .containsExactly(empty.batchId(), batch.batchId());
    assertThat(desk.list(1, empty.batchId())).extracting(Batch::id).contains(batch.batchId());
  }

  @Test
  @DisplayName("is held as a whole, cancelled as a whole, and holds those that wait for it then")
  void whole() {
    Batched batch = enqueue(5);
    long follower = inbox.enqueue(NewTicket.ofKind(kind).withAfterBatch(batch.batchId()));
    finish(1);
    List<ClaimedTicket> running = claim(1);
    assertThat(desk.hold(batch.batchId(), "ann", "the data is wrong")).isEqualTo(4);
    assertThat(progress(batch.batchId()).progress()).isEqualTo("1 of 5, 4 on hold");
    running.forEach(each -> tickets.succeed(each.id(), each.lease().no(), false));
    assertThat(progress(batch.batchId()).onHold())
        .as("a held ticket's result is refused")
        .isEqualTo(4);
    assertThat(desk.cancel(batch.batchId(), "ann", "never mind")).isEqualTo(4);
    advance();
    Batch seen = progress(batch.batchId());
    assertThat(seen.progress()).isEqualTo("5 of 5, 4 cancelled, ended");
    assertThat(seen.cancelledAt()).isNotNull();
    assertThat(database.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", follower))
        .startsWith("dependency_cancelled: batch " + batch.batchId());
  }

  @Test
  @DisplayName("is cancelled by one call, with those of its tickets that wait for others of it")
  void cancelledWithItsFollowers() {
    long batch =
        database.number(
            """
            SELECT holdfast.enqueue_batch((
              SELECT jsonb_agg(jsonb_build_object('kind', CAST(? AS text))
                || CASE WHEN n = 1 THEN '{"name": "first"}' WHEN n % 20 = 0 THEN '{"after": ["first"]}' ELSE '{}' END::jsonb ORDER BY n)
              FROM generate_series(1, 80) AS n), 'ann')
            """,
            kind);

    long cancelled = database.number("SELECT holdfast.cancel_batch(?, 'ann', 'never mind')", batch);

    assertThat(cancelled).isEqualTo(80);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.tickets WHERE batch_id = ? AND state ="
                    + " 'cancelled'",
                batch))
        .isEqualTo(80);
  }

  @Test
  @DisplayName("takes tickets by SQL until it is closed, and only then can be waited for")
  void open() {
    long batch = database.number("SELECT holdfast.open_batch('ann', 'by hand')");
    database.run(
        "SELECT holdfast.enqueue_ticket(kind => ?, batch_id => ?) FROM generate_series(1, 3)",
        kind,
        batch);
    database.run("INSERT INTO holdfast.tickets (kind, batch_id) VALUES (?, ?)", kind, batch);
    finish(10);
    advance();
    assertThat(desk.find(batch).progress()).contains("takes further tickets");
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(kind).withAfterBatch(batch)))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("still takes tickets");
    assertThat(database.number("SELECT holdfast.close_batch(?, 'ann')", batch)).isEqualTo(4);
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(kind).withBatchId(batch)))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("closed");
    String insert = "INSERT INTO holdfast.tickets (kind, batch_id) VALUES (?, ?)";
    assertThatThrownBy(() -> database.run(insert, kind, batch))
        .rootCause()
        .hasMessageContaining("batch " + batch + " is closed");
    assertThatThrownBy(() -> database.run(insert, kind, 987_654L))
        .rootCause()
        .hasMessageContaining("there is no batch 987654");
    advance();
    assertThat(progress(batch).progress()).isEqualTo("4 of 4, ended");
    assertThatThrownBy(
            () ->
                database.run("UPDATE holdfast.tickets SET batch_id = 1 WHERE batch_id = ?", batch))
        .rootCause()
        .hasMessageContaining("batch_id of a ticket cannot be set by hand");
  }

  @Test
  @DisplayName("of others is not closed with an old snapshot, which lacks tickets; one's own is")
  void oldSnapshot() throws Exception {
    long batch = database.number("SELECT holdfast.open_batch('ann')");
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      statement.execute("SELECT count(*) FROM holdfast.batches");
      inbox.enqueue(NewTicket.ofKind(kind).withBatchId(batch));
      for (String action : List.of("close_batch", "cancel_batch")) {
        assertThatThrownBy(
                () -> statement.execute("SELECT holdfast.%s(%s, 'ann')".formatted(action, batch)))
            .hasMessageContaining("cannot be closed in a transaction of isolation level");
        connection.rollback();
      }
      statement.execute(
          "SELECT holdfast.enqueue_batch('[{\"kind\": \"%s\"}]', 'ann')".formatted(kind));
      connection.commit();
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(true);
    }
    assertThat(database.number("SELECT holdfast.close_batch(?, 'ann')", batch)).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "is made of a JSON array by SQL: all tickets, or none and the first bad one is named")
  void json() {
    long batch =
        database.number(
            "SELECT holdfast.enqueue_batch(jsonb_build_array(jsonb_build_object('kind', ?::text,"
                + " 'payload', '{\"n\": 1}'::jsonb), jsonb_build_object('kind', ?::text,"
                + " 'priority', 3)), 'ann')",
            kind,
            kind);
    assertThat(desk.find(batch).total()).isEqualTo(2);
    assertThat(
            database.column(
                "SELECT payload || jsonb_build_object('p', priority) FROM holdfast.tickets WHERE"
                    + " batch_id = ? ORDER BY id",
                batch))
        .containsExactly("{\"n\": 1, \"p\": 0}", "{\"p\": 3}");
    for (String[] bad :
        List.of(
            new String[] {"{}", "must be a JSON array"},
            new String[] {"[{\"kind\": \"a\"}, 7]", "ticket 2 of the list is no JSON object"},
            new String[] {
              "[{\"kind\": \"a\", \"knid\": 1}]",
              "ticket 1 of the list has the unknown key \"knid\""
            },
            new String[] {
              "[{\"kind\": \"a\", \"priority\": \"high\"}]", "ticket 1 of the list: invalid input"
            },
            new String[] {"[{\"design\": \"none-such\"}]", "there is no design"})) {
      assertThatThrownBy(
              () -> database.run("SELECT holdfast.enqueue_batch(?::jsonb, 'ann')", bad[0]))
          .rootCause()
          .hasMessageContaining(bad[1]);
    }
  }

  @Test
  @DisplayName("is forgotten with its last ticket, after the time that done tickets are kept")
  void pruned() {
    Batched batch = enqueue(2);
    Batched other = enqueue(1);
    finish(2);
    advance();
    database.run(
        "UPDATE holdfast.batches SET ended_at = now() - interval '1 hour' WHERE id = ?",
        batch.batchId());
    PostgresTicketPruner pruner = new PostgresTicketPruner(pool, "holdfast");
    Retention retention = new Retention(Duration.ofMinutes(30), Duration.ZERO, Duration.ZERO);
    pruner.prune(retention, 100);
    assertThat(desk.find(batch.batchId()).done()).isEqualTo(2);
    database.run("DELETE FROM holdfast.tickets WHERE batch_id = ?", batch.batchId());
    pruner.prune(retention, 100);
    assertThatThrownBy(() -> desk.find(batch.batchId())).isInstanceOf(NotFoundException.class);
    assertThat(desk.find(other.batchId()).total()).isOne();
  }

  @Test
  @DisplayName("refuses what is not there, and tickets of many that name a batch")
  void refused() {
    assertThatThrownBy(() -> desk.find(987_654))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("there is no batch 987654");
    assertThatThrownBy(() -> desk.cancel(987_654, "ann", "no"))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(kind).withAfterBatch(987_654L)))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(kind).withBatchId(987_654L)))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(
            () ->
                inbox.enqueueBatch(
                    List.of(NewTicket.ofKind(kind).withBatchId(1L)).iterator(), "ann", null))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ticket 1: ");
    assertThatThrownBy(() -> inbox.enqueueBatch(List.<NewTicket>of().iterator(), " ", null))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("actor");
  }

  @Test
  @DisplayName("is cancelled as a whole where its tickets cancel those that wait for them")
  void cancelledInChain() {
    long id =
        database.number(
            "SELECT holdfast.enqueue_batch(jsonb_build_array(jsonb_build_object('name', 'a',"
                + " 'kind', ?::text), jsonb_build_object('name', 'b', 'kind', ?::text, 'after',"
                + " '[\"a\"]'::jsonb, 'on_cancelled', 'cancel'), jsonb_build_object('name', 'c',"
                + " 'kind', ?::text, 'after', '[\"b\"]'::jsonb, 'on_cancelled', 'cancel')), 'ann',"
                + " 'chain')",
            kind,
            kind,
            kind);
    assertThat(database.number("SELECT holdfast.cancel_batch(?, 'ann', 'never mind')", id))
        .isEqualTo(3);
    assertThat(
            database.column("SELECT DISTINCT state FROM holdfast.tickets WHERE batch_id = ?", id))
        .containsExactly("cancelled");
  }
}
