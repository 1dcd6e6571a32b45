package dev.holdfast.postgres.read;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.read.AttemptRow;
import dev.holdfast.queue.read.AutoRetrySwitch;
import dev.holdfast.queue.read.ChildRow;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.DesignHealth;
import dev.holdfast.queue.read.ErrorGroup;
import dev.holdfast.queue.read.LiveWorkers;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.read.StepRow;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketHistory;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.TicketState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads the views, one statement per call. Thread-safe. */
public final class PostgresTicketReader implements TicketReader {
  private static final String DEFAULT_SCHEMA = "holdfast";

  private final Transactions transactions;
  private final Sql sql;
  private final String summaries;
  private final String readyTickets;
  private final String ticketRows;
  private final TicketPages pages;
  private final PostgresTicketHistory histories;

  public PostgresTicketReader(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA);
  }

  public PostgresTicketReader(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema));
  }

  public PostgresTicketReader(Transactions transactions, Sql sql) {
    this.transactions = transactions;
    this.sql = sql;
    this.summaries = sql.load("ticket_summaries");
    this.readyTickets = sql.load("ready_tickets");
    this.ticketRows = sql.load("ticket_rows");
    this.pages = new TicketPages(sql);
    this.histories = new PostgresTicketHistory(transactions, sql, (row, context) -> guidance(row));
  }

  @Override
  public Instant now() {
    return transactions.runStatement(
        handle -> handle.createQuery("SELECT now()").mapTo(Instant.class).one());
  }

  @Override
  public List<TicketRow> list(TicketFilter filter) {
    return page(TicketRow.class, ticketRows, filter, null);
  }

  @Override
  public List<TicketSummary> summaries(TicketFilter filter) {
    return page(TicketSummary.class, summaries, filter, null);
  }

  @Override
  public List<TicketSummary> getReadyTickets(@Nullable String queue, int limit) {
    return rows(
        TicketSummary.class,
        summaries + readyTickets,
        query -> query.bind("queue", queue).bind("limit", limit));
  }

  private <T> List<T> page(
      Class<T> type, String select, TicketFilter filter, @Nullable Integer window) {
    return rows(
        type,
        select + "WHERE t.id = ANY (ARRAY(\n" + pages.ids(filter) + ")) ORDER BY t.id DESC",
        query -> TicketPages.bind(query, filter, window));
  }

  @Override
  public TicketWindow window(TicketFilter filter) {
    // We ask for one more, which shows whether there is a next page.
    List<TicketSummary> found =
        page(
            TicketSummary.class,
            summaries,
            filter.withLimit(filter.limit() + 1),
            TicketPages.WINDOW);
    if (found.size() > filter.limit()) {
      List<TicketSummary> page = found.subList(0, filter.limit());
      return new TicketWindow(page, page.getLast().id(), false);
    }
    Optional<Long> end = windowEnd(filter);
    return new TicketWindow(found, end.orElse(null), end.isPresent());
  }

  private Optional<Long> windowEnd(TicketFilter filter) {
    return filter.state() == TicketState.IN_PROGRESS
        ? Optional.empty()
        : mapped(
                pages.windowEnd(filter),
                query -> TicketPages.bind(query, filter, TicketPages.WINDOW),
                (row, context) -> row.getLong(1))
            .stream()
            .findFirst();
  }

  @Override
  public List<Long> heldIds(
      TicketFilter filter, long afterId, @Nullable Instant heldBefore, int limit) {
    return mapped(
        pages.heldIds(),
        query ->
            TicketPages.bind(query, filter, null)
                .bind("after", afterId)
                .bind("seen", TicketPages.time(heldBefore))
                .bind("limit", limit),
        (row, context) -> row.getLong(1));
  }

  @Override
  public Optional<TicketRow> find(long ticketId) {
    return rows(
            TicketRow.class, ticketRows + "WHERE t.id = :id", query -> query.bind("id", ticketId))
        .stream()
        .findFirst();
  }

  @Override
  public Optional<TicketSummary> summary(long ticketId) {
    return rows(
            TicketSummary.class,
            summaries + "WHERE t.id = :id",
            query -> query.bind("id", ticketId))
        .stream()
        .findFirst();
  }

  @Override
  public List<AttemptRow> attempts(long ticketId) {
    return rows(
        AttemptRow.class,
        sql.inSchema(
            "SELECT "
                + PostgresTicketHistory.ATTEMPT_COLUMNS
                + " FROM holdfast.ticket_attempts a WHERE a.ticket_id = :id ORDER BY a.lease_no"),
        query -> query.bind("id", ticketId));
  }

  @Override
  public Optional<AttemptOutput> output(long ticketId, @Nullable Integer attempt) {
    return mapped(
            sql.load("attempt_of_output"),
            query -> query.bind("id", ticketId).bind("attempt", attempt),
            (row, context) ->
                new AttemptOutput(
                    ticketId,
                    row.getInt("attempt"),
                    row.getLong("lease_no"),
                    row.getBoolean("running"),
                    List.of()))
        .stream()
        .findFirst()
        .map(found -> found.with(chunks(ticketId, found.leaseNo())));
  }

  private List<OutputChunk> chunks(long ticketId, long leaseNo) {
    return rows(
        OutputChunk.class,
        sql.inSchema(
            """
            SELECT ticket_id, lease_no, stream, from_byte, to_byte, pieces, text
            FROM holdfast.attempt_output WHERE ticket_id = :id AND lease_no = :lease ORDER BY stream DESC, from_byte
            """),
        query -> query.bind("id", ticketId).bind("lease", leaseNo));
  }

  @Override
  public List<TimelineEntry> timeline(long ticketId) {
    return rows(
        TimelineEntry.class, sql.load("ticket_timeline"), query -> query.bind("id", ticketId));
  }

  @Override
  public List<Guidance> guidance(long ticketId) {
    return mapped(
        sql.inSchema(
            "SELECT "
                + PostgresTicketHistory.GUIDANCE_COLUMNS
                + " FROM holdfast.ticket_guidance g WHERE g.ticket_id = :id ORDER BY g.id"),
        query -> query.bind("id", ticketId),
        (row, context) -> guidance(row));
  }

  private static Guidance guidance(ResultSet row) throws SQLException {
    String answer = row.getString("answer");
    return new Guidance(
        row.getString("guidance"),
        row.getString("author"),
        row.getString("source"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        answer == null ? null : new Answer(row.getString("question"), answer));
  }

  @Override
  public TicketHistory history(long ticketId) {
    return histories.of(ticketId);
  }

  @Override
  public List<TimelineEntry> sessionEvents(long ticketId) {
    return rows(
        TimelineEntry.class,
        sql.inSchema(
            """
            SELECT ticket_id, at, event, NULL AS actor, details::text AS details
            FROM holdfast.session_events WHERE ticket_id = :id ORDER BY id
            """),
        query -> query.bind("id", ticketId));
  }

  @Override
  public Optional<String> question(long ticketId) {
    return mapped(
            sql.inSchema("SELECT holdfast.asked_question(:id)::text"),
            query -> query.bind("id", ticketId),
            (row, context) -> Optional.ofNullable(row.getString(1)))
        .getFirst();
  }

  @Override
  public List<ToolCallRow> toolCalls(long ticketId) {
    return rows(
        ToolCallRow.class,
        sql.inSchema("SELECT * FROM holdfast.tool_approvals WHERE ticket_id = :id ORDER BY id"),
        query -> query.bind("id", ticketId));
  }

  @Override
  public boolean hasRetryAbort(long ticketId) {
    String find = "SELECT EXISTS (SELECT FROM holdfast.retry_aborts WHERE ticket_id = :id)";
    return mapped(
            sql.inSchema(find),
            query -> query.bind("id", ticketId),
            (row, context) -> row.getBoolean(1))
        .getFirst();
  }

  @Override
  public Optional<AutoRetrySwitch> autoRetry(long ticketId) {
    String find =
        "SELECT enabled, changed_by, changed_at FROM holdfast.auto_retry_switches WHERE ticket_id ="
            + " :id";
    return rows(AutoRetrySwitch.class, sql.inSchema(find), query -> query.bind("id", ticketId))
        .stream()
        .findFirst();
  }

  @Override
  public Optional<CurrentWait> currentWait(long ticketId) {
    return mapped(
            sql.load("current_wait"),
            query -> query.bind("id", ticketId),
            (row, context) ->
                new CurrentWait(
                    CurrentWait.Kind.valueOf(row.getString("kind")),
                    row.getTimestamp("until").toInstant(),
                    Duration.ofMillis(row.getLong("left_ms")),
                    row.getString("reason"),
                    row.getObject("attempt", Integer.class),
                    row.getObject("max_attempts", Integer.class)))
        .stream()
        .findFirst();
  }

  @Override
  public Optional<String> assignee(long ticketId) {
    String find = "SELECT assignee FROM holdfast.ticket_assignments WHERE ticket_id = :id";
    return mapped(
            sql.inSchema(find),
            query -> query.bind("id", ticketId),
            (row, context) -> row.getString(1))
        .stream()
        .findFirst();
  }

  @Override
  public Map<Long, String> waitingFor(Collection<Long> ticketIds) {
    if (ticketIds.isEmpty()) {
      return Map.of();
    }
    Map<Long, String> words = new HashMap<>();
    mapped(
            sql.inSchema(
                "SELECT ticket_id, waits_for FROM holdfast.waiting_tickets WHERE ticket_id = ANY"
                    + " (:ids)"),
            query -> query.bind("ids", ticketIds.toArray(Long[]::new)),
            (row, context) -> Map.entry(row.getLong(1), row.getString(2)))
        .forEach(each -> words.put(each.getKey(), each.getValue()));
    return words;
  }

  @Override
  public Optional<String> predecessors(long ticketId) {
    return mapped(
            sql.inSchema(
                "SELECT waits_for FROM holdfast.waiting_tickets WHERE ticket_id = :id AND (kind IN"
                    + " ('dependency', 'limit', 'paused') OR kind = 'turn' AND scopes[1] LIKE"
                    + " 'ticket/%')"),
            query -> query.bind("id", ticketId),
            (row, context) -> row.getString(1))
        .stream()
        .reduce((one, other) -> one + "; " + other);
  }

  @Override
  public List<StepRow> steps(long ticketId) {
    return StepRow.ordered(
        rows(
            StepRow.class,
            sql.inSchema(
                """
                SELECT step, state, design, after, tickets, done, on_hold, in_progress, first_ticket_id, first_held_id
                FROM holdfast.workflow_steps WHERE workflow_id = :id
                """),
            query -> query.bind("id", ticketId)));
  }

  @Override
  public List<ChildRow> children(long ticketId, int limit) {
    return rows(
        ChildRow.class,
        sql.inSchema(
            """
            SELECT t.id, t.title, t.state FROM holdfast.ticket_parents p JOIN holdfast.tickets t ON t.id = p.ticket_id
            WHERE p.parent_id = :id
              AND NOT EXISTS (SELECT FROM holdfast.ticket_dependencies d WHERE d.ticket_id = :id AND d.after_id = p.ticket_id)
            ORDER BY p.ticket_id LIMIT :limit
            """),
        query -> query.bind("id", ticketId).bind("limit", limit));
  }

  @Override
  public List<QueueHealth> queues() {
    return rows(
        QueueHealth.class,
        sql.inSchema("SELECT * FROM holdfast.queue_health ORDER BY queue"),
        query -> query);
  }

  @Override
  public List<ErrorGroup> errorGroups(int limit) {
    return rows(
        ErrorGroup.class,
        sql.inSchema(
            "SELECT * FROM holdfast.error_groups ORDER BY tickets DESC, oldest LIMIT :limit"),
        query -> query.bind("limit", limit));
  }

  @Override
  public List<DesignHealth> designs(int limit) {
    return rows(
        DesignHealth.class,
        sql.inSchema(
            "SELECT * FROM holdfast.design_health WHERE tickets > 0 ORDER BY tickets DESC, name"
                + " LIMIT :limit"),
        query -> query.bind("limit", limit));
  }

  @Override
  public List<WorkerRow> workers() {
    return rows(
        WorkerRow.class, sql.load("workers") + " ORDER BY w.started_at DESC, w.id", query -> query);
  }

  @Override
  public LiveWorkers liveWorkers() {
    return new LiveWorkers(
        rows(
            WorkerRow.class,
            "SELECT * FROM ("
                + sql.load("workers")
                + ") l WHERE l.state = 'running' ORDER BY l.started_at DESC, l.id",
            query -> query));
  }

  private <T> List<T> rows(Class<T> type, String statement, UnaryOperator<Query> arguments) {
    return mapped(statement, arguments, RecordMapper.of(type));
  }

  private <T> List<T> mapped(
      String statement, UnaryOperator<Query> arguments, RowMapper<T> mapper) {
    return transactions.runStatement(
        handle -> arguments.apply(handle.createQuery(statement)).map(mapper).list());
  }
}
