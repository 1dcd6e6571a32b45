package dev.holdfast.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.engine.PostgresWorkerRegistry;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.WorkerRegistry;
import dev.holdfast.queue.read.AttemptRow;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.TicketState;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@WithDatabase
@EverySetup
class PostgresTicketReaderIT {
  private final DataSource dataSource;
  private final TestSql sql;
  private final TestTickets tickets;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;
  private final PostgresTicketReader reader;

  PostgresTicketReaderIT(TestDatabase database) {
    this.dataSource = database.dataSource();
    this.sql = new TestSql(dataSource);
    this.tickets = new TestTickets(dataSource);
    this.inbox = new PostgresTicketInbox(dataSource);
    this.desk = new PostgresTicketDesk(dataSource);
    this.reader = new PostgresTicketReader(dataSource);
  }

  @Test
  @DisplayName("A41: a ticket's row has every column, json as text, times exact")
  void allColumns() {
    Instant runAt = Instant.parse("2040-05-06T07:08:09.123456Z");
    long id =
        inbox.enqueue(
            NewTicket.ofKind("columns")
                .withTitle("a title")
                .withPayload("{\"n\": 1}")
                .withPriority(4)
                .withRunAt(runAt)
                .withUniqueKey("columns-1")
                .withMaxCostUsd(new BigDecimal("1.25")));
    TicketRow row = reader.find(id).orElseThrow();
    Instant createdAt = row.createdAt();
    assertThat(createdAt).isEqualTo(row.updatedAt()).isBetween(now().minusSeconds(60), now());
    assertThat(row)
        .isEqualTo(
            new TicketRow(
                id,
                "default",
                "columns",
                null,
                "a title",
                "{\"n\": 1}",
                "ready",
                "agent",
                4,
                0,
                0,
                runAt,
                null,
                null,
                null,
                null,
                null,
                null,
                0,
                null,
                "columns-1",
                null,
                createdAt,
                createdAt,
                null,
                null,
                0,
                0,
                0,
                null,
                null,
                new BigDecimal("1.25"),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null));
    assertThat(reader.find(id + 1_000_000)).isEmpty();
  }

  private Instant now() {
    return Jdbi.create(dataSource)
        .withHandle(handle -> handle.select("SELECT now()").mapTo(Instant.class).one());
  }

  @Test
  @DisplayName("A44: a running ticket shows its worker and its lease")
  void running() {
    long id = tickets.in(TicketState.IN_PROGRESS);
    TicketRow row = reader.find(id).orElseThrow();
    assertThat(row.state()).isEqualTo("in_progress");
    assertThat(row.workerId()).isEqualTo("worker-1");
    assertThat(row.leaseNo()).isPositive();
    assertThat(row.leaseExpiresAt()).isAfter(now());
    assertThat(row.startedAt()).isNotNull();
  }

  @ParameterizedTest
  @EnumSource(TicketState.class)
  @DisplayName("a list filters by state, newest first, page by page")
  void pages(TicketState state) {
    List<Long> expected = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      expected.addFirst(tickets.in(state));
    }
    tickets.in(state == TicketState.READY ? TicketState.ON_HOLD : TicketState.READY);
    TicketFilter filter = TicketFilter.all(2).withState(state);
    List<Long> found = new ArrayList<>();
    for (List<TicketRow> page = reader.list(filter);
        !page.isEmpty() && found.size() < 5;
        page = reader.list(filter.withBeforeId(found.getLast()))) {
      assertThat(page).allMatch(row -> row.state().equals(state.wireName()));
      assertThat(page).hasSizeLessThanOrEqualTo(2);
      page.forEach(row -> found.add(row.id()));
    }
    assertThat(found.subList(0, 5)).isEqualTo(expected);
  }

  @Test
  @DisplayName("a list filters by queue, category and fingerprint, alone and together with a state")
  void filters() {
    long id = inbox.enqueue(NewTicket.ofKind("filtered").withQueue("filters"));
    tickets.fail(id, "filtered", Category.CODE_ERROR, "f-1");
    tickets.fail(id, "filtered", Category.CODE_ERROR, "f-2");
    long other = inbox.enqueue(NewTicket.ofKind("filtered-too").withQueue("filters"));
    tickets.fail(other, "filtered-too", Category.TRANSIENT, "f-2");
    TicketFilter inQueue = TicketFilter.all(10).withQueue("filters");
    assertThat(ids(inQueue)).containsExactly(other, id);
    assertThat(ids(of(null, "filters", "transient", null))).containsExactly(other);
    assertThat(ids(of(null, null, null, "f-2"))).containsExactly(other, id);
    assertThat(ids(of(TicketState.ON_HOLD, null, null, "f-2"))).containsExactly(id);
    assertThat(ids(of(TicketState.ON_HOLD, "filters", "unknown", null))).isEmpty();
    assertThat(ids(inQueue.withState(TicketState.IN_PROGRESS))).isEmpty();
    tickets.claim(sqlMakeDue(other));
    assertThat(ids(inQueue.withState(TicketState.IN_PROGRESS))).containsExactly(other);
    assertThat(ids(of(null, null, null, "f-1"))).isEmpty();
  }

  @Test
  @DisplayName("a part of a fingerprint finds its tickets from 8 characters on; others are whole")
  void fingerprints() {
    String print = "0123456789abcdef0123456789abcdef";
    long id = inbox.enqueue(NewTicket.ofKind("printed"));
    tickets.fail(id, "printed", Category.CODE_ERROR, print);
    tickets.fail(id, "printed", Category.CODE_ERROR, print);
    for (TicketState state : new TicketState[] {TicketState.ON_HOLD, null}) {
      assertThat(ids(of(state, null, null, print))).containsExactly(id);
      assertThat(ids(of(state, null, null, "01234567"))).containsExactly(id);
      assertThat(ids(of(state, null, null, "0123456"))).isEmpty();
      assertThat(ids(of(state, null, null, "1234567890"))).isEmpty();
    }
    assertThat(reader.heldIds(of(null, null, null, "01234567"), 0, null, 9)).containsExactly(id);
    assertThat(reader.heldIds(of(null, null, null, print), id, null, 9)).isEmpty();
  }

  @Test
  @DisplayName(
      "what acts on all held tickets of a filter takes those that its list shows, by whatever it"
          + " filters")
  void allThatMatch() {
    long wanted =
        inbox.enqueue(NewTicket.ofKind("wanted").withTitle("sought: one").withQueue("wanted"));
    long other = inbox.enqueue(NewTicket.ofKind("other").withTitle("sought: two"));
    String design =
        sql.value(
            "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('wanted', 1,"
                + " 'wanted', '{}') RETURNING id");
    long batch = sql.number("SELECT holdfast.open_batch('ann')");
    sql.value(
        "UPDATE holdfast.ticket_base SET design_id = ?::bigint, batch_id = ? WHERE id = ?",
        design,
        batch,
        wanted);
    sql.value("UPDATE holdfast.ticket_base SET created_at = '2020-01-01Z' WHERE id = ?", other);
    desk.assign(wanted, "wanted", "ann");
    List.of(wanted, other).forEach(id -> desk.hold(id, "hal", "wait"));
    Instant from = Instant.parse("2021-01-01T00:00:00Z");
    for (TicketFilter filter :
        List.of(
            held("wanted", null, null, null, null, null, null, null),
            held(null, "wanted", null, null, null, null, null, null),
            held(null, null, "wanted", null, null, null, null, null),
            held(null, null, null, "sought: one", null, null, null, null),
            held(null, null, null, "sought", from, null, null, null),
            held(null, null, null, null, null, null, "wanted", null),
            held(null, null, null, null, null, null, null, batch))) {
      assertThat(ids(filter)).as(filter.toString()).containsExactly(wanted);
      assertThat(reader.heldIds(filter, 0, null, 9)).as(filter.toString()).containsExactly(wanted);
    }
    TicketFilter old = held(null, null, null, "sought", null, from, null, null);
    assertThat(ids(old)).containsExactly(other);
    assertThat(reader.heldIds(old, 0, null, 9)).containsExactly(other);
  }

  private static TicketFilter held(
      @Nullable String queue,
      @Nullable String kind,
      @Nullable String design,
      @Nullable String text,
      @Nullable Instant from,
      @Nullable Instant before,
      @Nullable String assignee,
      @Nullable Long batch) {
    return new TicketFilter(
        TicketState.ON_HOLD,
        queue,
        kind,
        design,
        null,
        null,
        text,
        from,
        before,
        assignee,
        batch,
        null,
        9);
  }

  private static TicketFilter of(
      @Nullable TicketState state,
      @Nullable String queue,
      @Nullable String category,
      @Nullable String fingerprint) {
    return TicketFilter.all(10).withState(state).withQueue(queue).withError(category, fingerprint);
  }

  private String sqlMakeDue(long id) {
    return String.valueOf(
        sql.value(
            "UPDATE holdfast.tickets SET retry_after = NULL WHERE id = ? RETURNING kind", id));
  }

  private List<Long> ids(TicketFilter filter) {
    return reader.list(filter).stream().map(TicketRow::id).toList();
  }

  @Test
  @DisplayName("attempts, guidance and timeline of a ticket, oldest first")
  void history() {
    long id = inbox.enqueue(NewTicket.ofKind("history"));
    tickets.fail(id, "history", Category.CODE_ERROR, "one");
    desk.hold(id, "hal", "wait");
    desk.release(id, "ann", "first words", Retries.RESET);
    tickets.succeed(id, tickets.claim("history"), true);
    desk.reject(id, "rob", "second words");
    assertThat(reader.attempts(id))
        .extracting(AttemptRow::attempt, AttemptRow::outcome, AttemptRow::error)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(1, "failed", "it broke: one"),
            org.assertj.core.groups.Tuple.tuple(2, "succeeded", null));
    assertThat(reader.guidance(id))
        .extracting(Guidance::text, Guidance::author, Guidance::source)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("first words", "ann", "release"),
            org.assertj.core.groups.Tuple.tuple("second words", "rob", "reject"));
    assertThat(reader.timeline(id))
        .extracting(TimelineEntry::event)
        .containsExactly(
            "created",
            "claimed",
            "failed",
            "retry_decision",
            "held",
            "released",
            "claimed",
            "succeeded",
            "rejected");
  }

  @Test
  @DisplayName("queues, error groups and workers")
  void overviews() {
    sql.run("INSERT INTO holdfast.queues (name) VALUES ('overview')");
    desk.pauseQueue("overview", "pat");
    assertThat(reader.queues())
        .contains(new QueueHealth("overview", true, "pat", 0, null, 0, 0, null, 0, 0, 0, 0));
    long id = inbox.enqueue(NewTicket.ofKind("group"));
    tickets.fail(id, "group", Category.CODE_ERROR, "g-1");
    tickets.fail(id, "group", Category.CODE_ERROR, "g-2");
    assertThat(reader.errorGroups(100))
        .filteredOn(group -> "g-2".equals(group.errorFingerprint()))
        .singleElement()
        .satisfies(
            group -> {
              assertThat(group.tickets()).isOne();
              assertThat(group.sampleIds()).containsExactly(id);
              assertThat(group.lastError()).isEqualTo("it broke: g-2");
            });
    assertThat(reader.errorGroups(1)).hasSize(1);
    new PostgresWorkerRegistry(dataSource, "holdfast")
        .register(
            new WorkerRegistry.Registration(
                "w-1", "host", 42, "0.1", Set.of("a"), Set.of("command"), 8));
    assertThat(reader.workers())
        .filteredOn(worker -> worker.id().equals("w-1"))
        .singleElement()
        .satisfies(
            worker -> {
              assertThat(worker.queues()).containsExactly("a");
              assertThat(worker.kinds()).containsExactly("command");
              assertThat(worker.state()).isEqualTo("running");
            });
  }

  @Test
  @DisplayName("with a big backlog, running and held tickets are found without reading it")
  void plans() throws SQLException {
    sql.run(
        """
        WITH added AS (
          INSERT INTO holdfast.ticket_base (filed, kind, state, held_at, completed_at)
          SELECT true, 'many', CASE WHEN i % 1000 = 0 THEN 'on_hold' ELSE 'done' END,
            CASE WHEN i % 1000 = 0 THEN now() END, now()
          FROM generate_series(1, 8000) i RETURNING id, state
        ), held AS MATERIALIZED (SELECT array_agg(id) AS ids FROM added WHERE state = 'on_hold')
        SELECT holdfast.file_tickets(ids) FROM held
        """);
    tickets.in(TicketState.IN_PROGRESS);
    sql.run("ANALYZE holdfast.ticket_base");
    assertThat(plan("list_running_tickets"))
        .contains("Seq Scan on leases l")
        .doesNotContain("Seq Scan on ticket_base");
    assertThat(plan("list_held_tickets"))
        .contains("on held x")
        .doesNotContain("Seq Scan on ticket_base");
    assertThat(plan("list_tickets"))
        .contains("Index Scan Backward using ticket_base_pkey")
        .doesNotContain("Seq Scan on ticket_base")
        .doesNotContain("Sort Key: b.id");
  }

  /** Of the very file that is run, with the arguments of a first page. */
  private String plan(String name) throws SQLException {
    String statement =
        new Sql("holdfast")
            .load(name)
            .replaceAll("--.*", "")
            .replaceAll(
                "(?<!:):(state|queue|kind|design|category|fingerprint|prefix|text|from|until|assignee|batch|before|window)\\b",
                "NULL")
            .replaceAll(":limit\\b", "50");
    try (Connection connection = dataSource.getConnection()) {
      return String.join("\n", TestSql.column(connection, "EXPLAIN (COSTS OFF) " + statement));
    }
  }
}
