package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.queue.Uniqueness;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("One of many tickets")
class ManyTicketsIT {
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String FACTS =
      """
      SELECT jsonb_strip_nulls(jsonb_build_object(
        'row', to_jsonb(b) - '{id,created_at,updated_at,retry_after,expires_at,unique_key,payload_bytes,batch_id}'::text[],
        'starts', CASE WHEN b.retry_after < '2999-01-01' THEN b.retry_after - b.created_at END,
        'starts_at', CASE WHEN b.retry_after > '2999-01-01' THEN b.retry_after END,
        'ends', b.expires_at - b.created_at, 'has_key', b.unique_key IS NOT NULL,
        'waits', (SELECT jsonb_agg(to_jsonb(d) - 'ticket_id') FROM holdfast.ticket_dependencies d WHERE d.ticket_id = b.id),
        'waits_for_batch', (SELECT f.batch_id FROM holdfast.batch_followers f WHERE f.ticket_id = b.id),
        'trace', (SELECT t.traceparent FROM holdfast.ticket_traces t WHERE t.ticket_id = b.id),
        'spent', (SELECT true FROM holdfast.spent_keys k WHERE k.ticket_id = b.id)))::text
      FROM holdfast.ticket_base b WHERE b.kind = ? ORDER BY b.id
      """;

  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final String kind = "many-" + UUID.randomUUID();

  ManyTicketsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(2);
    this.inbox = new PostgresTicketInbox(pool);
  }

  private NewTicket ticket() {
    return NewTicket.ofKind(kind);
  }

  private NewTicket keyed(String key, Uniqueness uniqueness) {
    return ticket().withUniqueKey(key + kind).withUniqueness(uniqueness);
  }

  private long count() {
    return database.number("SELECT count(*) FROM holdfast.ticket_base WHERE kind = '" + kind + "'");
  }

  /** By the names of what a new ticket has; the one with that. */
  private Map<String, UnaryOperator<NewTicket>> all() {
    long first = inbox.enqueue(NewTicket.ofKind("other"));
    long open = database.number("SELECT holdfast.open_batch('ann')");
    long closed = database.number("SELECT holdfast.open_batch('ann')");
    database.run("SELECT holdfast.enqueue_ticket(kind => 'other', batch_id => ?)", closed);
    database.run("SELECT holdfast.close_batch(?, 'ann')", closed);
    String design = "d-" + kind;
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?,"
            + " '{\"expires\": \"3h\"}')",
        design,
        kind);
    Map<String, UnaryOperator<NewTicket>> all = new LinkedHashMap<>();
    all.put("kind", ticket -> ticket);
    all.put("design", ticket -> NewTicket.ofDesign(design));
    all.put("title", ticket -> ticket.withTitle("a\tb"));
    all.put("payload", ticket -> ticket.withPayload("{\"n\": [1.10, \"\\\\\"]}"));
    all.put("queue", ticket -> ticket.withQueue("other"));
    all.put("priority", ticket -> ticket.withPriority(-3));
    all.put("delay", ticket -> ticket.withDelay(Duration.ofSeconds(90)));
    all.put("runAt", ticket -> ticket.withRunAt(Instant.parse("2999-01-02T03:04:05Z")));
    all.put("uniqueKey", ticket -> ticket.withUniqueKey(UUID.randomUUID().toString()));
    all.put("maxCostUsd", ticket -> ticket.withMaxCostUsd(new BigDecimal("1.50")));
    all.put("after", ticket -> ticket.withAfter(List.of(first)));
    all.put("expiry", ticket -> ticket.withExpiry(new Expiry.In(Duration.ofHours(2))));
    all.put("concurrencyKey", ticket -> ticket.withConcurrencyKey("c"));
    all.put("fairnessKey", ticket -> ticket.withFairnessKey("f"));
    all.put(
        "uniqueness",
        ticket ->
            ticket
                .withUniqueKey(UUID.randomUUID().toString())
                .withUniqueness(Uniqueness.forEver().refusing()));
    all.put(
        "following",
        ticket ->
            ticket
                .withAfter(Map.of("fetch", first))
                .withFollowing(new Following(Map.of(first, "fetch"), OnCancelled.CANCEL)));
    all.put("traceparent", ticket -> ticket.withTraceparent(TRACE));
    all.put("batchId", ticket -> ticket.withBatchId(open));
    all.put("afterBatch", ticket -> ticket.withAfterBatch(closed));
    return all;
  }

  @Test
  @DisplayName("has all that one by itself may have, whichever call brings it")
  void hasAll() {
    Map<String, UnaryOperator<NewTicket>> all = all();
    assertThat(all.keySet())
        .as("what a new ticket has")
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(NewTicket.class.getRecordComponents())
                .map(RecordComponent::getName)
                .toList());
    all.forEach(
        (what, with) -> {
          inbox.enqueue(with.apply(ticket()));
          inbox.enqueueAll(List.of(with.apply(ticket())).iterator());
          inbox.enqueueGraph(List.of(new Named(null, with.apply(ticket()), List.of())));
          if (what.equals("batchId")) {
            assertThatThrownBy(
                    () -> inbox.enqueueBatch(List.of(with.apply(ticket())).iterator(), "ann", null))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("ticket 1: it names a batch, and all of these are one");
            assertThatThrownBy(
                    () ->
                        inbox.enqueueGraphAsBatch(
                            List.of(new Named(null, with.apply(ticket()), List.of())), "ann", null))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("it names a batch, and all of these are one");
            assertThat(
                    database.number(
                        "SELECT count(*) FROM holdfast.ticket_base WHERE batch_id IS NOT NULL AND"
                            + " kind = '"
                            + kind
                            + "'"))
                .isEqualTo(3);
          } else {
            inbox.enqueueBatch(List.of(with.apply(ticket())).iterator(), "ann", null);
            inbox.enqueueGraphAsBatch(
                List.of(new Named(null, with.apply(ticket()), List.of())), "ann", null);
          }
          List<String> facts = database.column(FACTS, kind);
          assertThat(facts).as(what).hasSize(what.equals("batchId") ? 3 : 5);
          assertThat(facts).as(what).containsOnly(facts.getFirst());
          database.column(
              "SELECT holdfast.cancel_ticket(id, 'ann') FROM holdfast.tickets WHERE kind = ?",
              kind);
          database.run("DELETE FROM holdfast.tickets WHERE kind = ?", kind);
        });
  }

  @Test
  @DisplayName("comes in its order: a key that is there already is kept, replaced or refused")
  void inOrder() {
    NewTicket plain = ticket().withPayload("{\"plain\": 1}");
    assertThat(
            inbox.enqueueAll(
                List.of(
                        plain,
                        keyed("k", Uniqueness.USUAL).withPayload("{\"n\": 1}"),
                        keyed("k", Uniqueness.whileOpen()).withPayload("{\"n\": 2}"),
                        plain,
                        keyed("k", Uniqueness.whileOpen().replacing()).withPayload("{\"n\": 3}"),
                        keyed("k", Uniqueness.USUAL).withPayload("{\"n\": 4}"),
                        keyed("l", Uniqueness.within(Duration.ofHours(1))),
                        keyed("l", Uniqueness.within(Duration.ofHours(1))),
                        plain)
                    .iterator()))
        .isEqualTo(5);
    assertThat(count()).isEqualTo(5);
    assertThat(
            database.value("SELECT payload FROM holdfast.tickets WHERE unique_key = ?", "k" + kind))
        .isEqualTo("{\"n\": 3}");
    var batch =
        inbox.enqueueBatch(
            List.of(
                    keyed("k", Uniqueness.whileOpen().replacing()).withPayload("{\"n\": 5}"),
                    keyed("m", Uniqueness.whileOpen()),
                    plain)
                .iterator(),
            "ann",
            null);
    assertThat(batch.added()).isEqualTo(2);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("is named by its place where it is refused, and nothing of all is added")
  void refused() {
    inbox.enqueue(keyed("k", Uniqueness.USUAL));
    NewTicket again = keyed("k", Uniqueness.whileOpen().refusing());
    assertThatThrownBy(() -> inbox.enqueueAll(List.of(ticket(), ticket(), again).iterator()))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageMatching("ticket 3: ticket \\d+ has the unique key .* already.*");
    NewTicket lost = ticket().withAfter(List.of(999_999_999_999L));
    assertThatThrownBy(
            () -> inbox.enqueueBatch(List.of(ticket(), lost, ticket()).iterator(), "ann", null))
        .isInstanceOf(NotFoundException.class)
        .hasMessageStartingWith("ticket 2: there is no ticket 999999999999 to wait for");
    assertThat(count()).isEqualTo(1);
  }

  @Test
  @DisplayName("stands in one place after COPY, whatever those beside it need")
  void places() {
    inbox.enqueue(ticket().withTitle("first"));
    inbox.enqueueAll(
        List.of(
                ticket().withTitle("plain"),
                ticket().withTitle("later").withDelay(Duration.ofHours(1)),
                ticket().withTitle("taking turns").withFairnessKey("a"),
                NewTicket.ofKind(kind + "-new").withTitle("of a new kind"),
                ticket().withTitle("plain, too"))
            .iterator());
    assertThat(
            database.column(
                """
                SELECT b.title || ': ' || concat_ws(' and ', (SELECT 'ready' FROM holdfast.ready r WHERE r.id = b.id),
                  (SELECT 'deferred' FROM holdfast.deferred d WHERE d.id = b.id), (SELECT 'in line' FROM holdfast.in_line l WHERE l.id = b.id))
                FROM holdfast.ticket_base b WHERE b.kind LIKE ? || '%' ORDER BY b.id
                """,
                kind))
        .containsExactly(
            "first: ready",
            "plain: ready",
            "later: deferred",
            "taking turns: in line",
            "of a new kind: ready",
            "plain, too: ready");
  }

  @Test
  @DisplayName("has its own trace or that of all, by COPY, with keys and among others; else none")
  void traces() {
    inbox.enqueue(ticket().withTitle("before"));
    NewTicket traced = ticket().withTraceparent(TRACE);
    NewTicket other = ticket().withTraceparent(TRACE.replace("4bf9", "5bf9")).withTitle("other");
    inbox.enqueueAll(List.of(traced, traced, traced).iterator());
    inbox.enqueueAll(
        List.of(
                traced.withUniqueKey("k" + kind),
                traced.withUniqueKey("k" + kind),
                ticket().withTitle("none"),
                other,
                traced)
            .iterator());
    inbox.enqueueAll(List.of(ticket().withTitle("none"), other, ticket()).iterator());
    assertThat(
            database.column(
                "SELECT COALESCE(t.title, 'traced') || ' ' || COALESCE(x.traceparent, '') FROM"
                    + " holdfast.tickets t LEFT JOIN holdfast.ticket_traces x ON x.ticket_id ="
                    + " t.id WHERE t.kind = ? ORDER BY t.id",
                kind))
        .containsExactly(
            "before ",
            "traced " + TRACE,
            "traced " + TRACE,
            "traced " + TRACE,
            "traced " + TRACE,
            "none ",
            "other " + other.traceparent(),
            "traced " + TRACE,
            "none ",
            "other " + other.traceparent(),
            "traced ");
  }

  private long enqueue(Connection connection, NewTicket... tickets) {
    return inbox.enqueueBatch(connection, List.of(tickets).iterator(), "ann", null).added();
  }

  @Test
  @DisplayName("comes in within the caller's savepoints, and goes with those that are rolled back")
  void savepoints() throws SQLException {
    inbox.enqueue(ticket());
    NewTicket traced = ticket().withTraceparent(TRACE);
    NewTicket named = ticket().withUniqueness(Uniqueness.whileOpen());
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      assertThat(enqueue(connection, ticket())).isEqualTo(1);
      Savepoint undone = connection.setSavepoint();
      assertThat(enqueue(connection, ticket(), ticket().withUniqueKey("a" + kind))).isEqualTo(2);
      connection.rollback(undone);
      Savepoint kept = connection.setSavepoint();
      assertThat(enqueue(connection, ticket(), traced, ticket())).isEqualTo(3);
      assertThat(enqueue(connection, ticket().withUniqueKey("a" + kind), ticket())).isEqualTo(2);
      connection.setSavepoint();
      assertThat(
              enqueue(
                  connection,
                  ticket().withConcurrencyKey("c"),
                  named.withUniqueKey("b" + kind),
                  ticket().withUniqueKey("a" + kind)))
          .isEqualTo(2);
      connection.releaseSavepoint(kept);
      assertThat(enqueue(connection, traced, ticket())).isEqualTo(2);
      connection.commit();
    }
    assertThat(count()).isEqualTo(11);
    assertThat(
            database.column(
                "SELECT t.id FROM holdfast.tickets t JOIN holdfast.ticket_traces x ON x.ticket_id ="
                    + " t.id WHERE t.kind = ?",
                kind))
        .hasSize(3);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("is not added on a connection of the caller's that commits by itself, nor its batch")
  void withoutTransaction() throws SQLException {
    List<NewTicket> tickets = List.of(ticket(), ticket());
    try (Connection connection = pool.getConnection()) {
      assertThatThrownBy(() -> inbox.enqueueBatch(connection, tickets.iterator(), "ann", kind))
          .isInstanceOf(HoldfastException.class)
          .hasMessageContaining("setAutoCommit(false)");
    }
    assertThat(count()).isZero();
    assertThat(database.column("SELECT id FROM holdfast.batches WHERE title = ?", kind)).isEmpty();
  }

  @Test
  @DisplayName("comes in within a block of SQL that catches errors")
  void blocks() {
    database.run(
        """
        DO $do$
        DECLARE
          kind text := '%s';
          first bigint;
        BEGIN
          BEGIN
            INSERT INTO holdfast.tickets (kind) SELECT kind FROM generate_series(1, 3);
            PERFORM holdfast.enqueue_ticket(kind => kind), holdfast.enqueue_ticket(kind => kind, unique_key => kind, unique_for => 'open');
            PERFORM holdfast.enqueue_batch(jsonb_build_array(jsonb_build_object('kind', kind), jsonb_build_object('kind', kind)), 'ann');
            RAISE EXCEPTION 'not these';
          EXCEPTION WHEN raise_exception THEN
            NULL;
          END;
          BEGIN
            INSERT INTO holdfast.tickets (kind) SELECT kind FROM generate_series(1, 3);
            first := holdfast.enqueue_ticket(kind => kind, unique_key => kind, unique_for => 'open');
            PERFORM holdfast.enqueue_ticket(kind => kind, after => ARRAY[first]);
            PERFORM holdfast.enqueue_batch(jsonb_build_array(jsonb_build_object('kind', kind), jsonb_build_object('kind', kind)), 'ann');
            PERFORM holdfast.enqueue_tickets(jsonb_build_array(
              jsonb_build_object('kind', kind, 'name', 'a'), jsonb_build_object('kind', kind, 'after', '{a}'::text[])));
          EXCEPTION WHEN no_data_found THEN
            NULL;
          END;
        END
        $do$
        """
            .formatted(kind));
    assertThat(count()).isEqualTo(9);
    database.assertNoTicketIsLost();
  }
}
