package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.view.BudgetState;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.DesignLine;
import dev.holdfast.queue.view.DesignVersion;
import dev.holdfast.queue.view.Flow;
import dev.holdfast.queue.view.Inbox;
import dev.holdfast.queue.view.InboxQuery;
import dev.holdfast.queue.view.ProviderState;
import dev.holdfast.queue.view.ReleasedTickets;
import dev.holdfast.queue.view.RunningTicket;
import dev.holdfast.queue.view.StateCounts;
import dev.holdfast.queue.view.TicketLine;
import dev.holdfast.queue.view.TicketQuery;
import dev.holdfast.queue.view.TicketWindow;
import dev.holdfast.ticket.TicketState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** Reads for the console, one or two statements per call. Thread-safe. */
public final class PostgresConsoleReader implements ConsoleReader {
  /** How many tickets a page looks at whose filter no index serves. */
  static final int WINDOW = 20_000;

  private static final String DEFAULT_SCHEMA = "holdfast";

  /** A filter that is not set must cost nothing, and a plan for all filters would pay for each. */
  private static final StatementCustomizer PLANNED_EACH_TIME =
      new StatementCustomizer() {
        @Override
        public void beforeExecution(PreparedStatement statement, StatementContext context)
            throws SQLException {
          if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
          }
        }
      };

  private final Transactions transactions;
  private final Sql sql;

  public PostgresConsoleReader(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA);
  }

  public PostgresConsoleReader(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
  }

  @Override
  public Instant now() {
    return rows("SELECT now()", query -> query, (row, context) -> instant(row.getObject(1)))
        .getFirst();
  }

  private static Instant instant(Object timestamp) {
    return ((java.sql.Timestamp) timestamp).toInstant();
  }

  @Override
  public long heldCount() {
    return rows(
            sql.inSchema("SELECT count(*) FROM holdfast.held"),
            query -> query,
            (row, context) -> row.getLong(1))
        .getFirst();
  }

  @Override
  public long reviewCount(long most) {
    return rows(
            sql.inSchema(
                """
                SELECT count(*) FROM (
                  SELECT FROM (SELECT state FROM holdfast.ticket_base ORDER BY id DESC LIMIT :window) t
                  WHERE state = 'needs_review' LIMIT :most) x
                """),
            query -> query.bind("window", WINDOW).bind("most", most),
            (row, context) -> row.getLong(1))
        .getFirst();
  }

  @Override
  public StateCounts stateCounts() {
    Map<TicketState, Long> counts = new EnumMap<>(TicketState.class);
    rows(
            sql.inSchema(
                """
                SELECT state, count(*) AS n
                FROM (SELECT state FROM holdfast.tickets ORDER BY id DESC LIMIT :window) t
                GROUP BY state
                """),
            query -> query.bind("window", WINDOW),
            (row, context) -> Map.entry(row.getString("state"), row.getLong("n")))
        .forEach(
            each ->
                TicketState.ofWireName(each.getKey())
                    .ifPresent(state -> counts.put(state, each.getValue())));
    long all = counts.values().stream().mapToLong(Long::longValue).sum();
    return new StateCounts(counts, all >= WINDOW);
  }

  @Override
  public List<String> outages() {
    return rows(
        sql.load("console_outages"), query -> query, (row, context) -> row.getString("words"));
  }

  @Override
  public long groupSize(String fingerprint, String category) {
    return rows(
            sql.load("console_group_size"),
            query -> query.bind("fingerprint", fingerprint).bind("category", category),
            (row, context) -> row.getLong(1))
        .getFirst();
  }

  @Override
  public ReleasedTickets released(List<Long> ids) {
    List<Map.Entry<Long, String>> found =
        rows(
            sql.load("console_released"),
            query -> query.bind("ids", ids.toArray(Long[]::new)),
            (row, context) -> Map.entry(row.getLong("id"), row.getString("became")));
    return new ReleasedTickets(
        found.stream()
            .filter(row -> row.getValue().equals("waiting"))
            .map(Map.Entry::getKey)
            .toList(),
        found.stream().filter(row -> row.getValue().equals("on_hold")).count());
  }

  @Override
  public Inbox inbox(InboxQuery query) {
    List<HeldGroupRow> rows =
        rows(
            sql.load("console_inbox"),
            statement ->
                statement
                    .bind("queue", query.queue())
                    .bind("category", query.category())
                    .bind("assignee", query.assignee())
                    .bind("offset", query.offset())
                    .bind("limit", query.limit()),
            HeldGroupRow.MAPPER);
    return rows.isEmpty()
        ? new Inbox(List.of(), 0, 0)
        : new Inbox(
            rows.stream().map(HeldGroupRow::group).toList(),
            rows.getFirst().groupCount(),
            rows.getFirst().ticketCount());
  }

  @Override
  public TicketWindow tickets(TicketQuery query) {
    List<TicketLine> found = find(query);
    if (found.size() > query.limit()) {
      List<TicketLine> page = found.subList(0, query.limit());
      return new TicketWindow(page, page.getLast().id(), false);
    }
    Optional<Long> end = windowEnd(query);
    return new TicketWindow(found, end.orElse(null), end.isPresent());
  }

  private List<TicketLine> find(TicketQuery query) {
    @Nullable TicketState state = query.state();
    RowMapper<TicketLine> line = ConstructorMapper.of(TicketLine.class);
    if (state == TicketState.IN_PROGRESS) {
      return rows(sql.load("console_running"), statement -> bind(statement, query), line);
    }
    if (state == TicketState.ON_HOLD) {
      return rows(
          sql.load("console_held"),
          statement -> bind(statement, query).bind("window", WINDOW),
          line);
    }
    return rows(
        sql.load("console_tickets"),
        statement ->
            bind(statement, query)
                .bind("state", state == null ? null : state.wireName())
                .bind("window", WINDOW),
        line);
  }

  /** One more than asked for tells whether there is a next page. */
  private static Query bind(Query statement, TicketQuery query) {
    return filter(statement, query).bind("before", query.before()).bind("limit", query.limit() + 1);
  }

  private static Query filter(Query statement, TicketQuery query) {
    String text = query.text();
    return statement
        .bind("queue", query.queue())
        .bind("kind", query.kind())
        .bind("category", query.category())
        .bind("fingerprint", query.fingerprint())
        .bind("text", text == null ? null : "%" + text.replaceAll("([\\\\%_])", "\\\\$1") + "%")
        .bind("key", text == null ? null : text.toLowerCase(Locale.ROOT))
        .bind("assignee", query.assignee())
        .bind("from", time(query.from()))
        .bind("to", time(query.to()));
  }

  private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }

  private Optional<Long> windowEnd(TicketQuery query) {
    RowMapper<Long> id = (row, context) -> row.getLong(1);
    if (query.state() == TicketState.IN_PROGRESS) {
      return Optional.empty();
    }
    if (query.state() == TicketState.ON_HOLD) {
      return rows(
              sql.load("console_held_window_end"),
              statement ->
                  statement
                      .bind("before", query.before())
                      .bind("queue", query.queue())
                      .bind("kind", query.kind())
                      .bind("category", query.category())
                      .bind("fingerprint", query.fingerprint())
                      .bind("window", WINDOW),
              id)
          .stream()
          .findFirst();
    }
    return rows(
            sql.load("console_window_end"),
            statement -> statement.bind("before", query.before()).bind("window", WINDOW),
            id)
        .stream()
        .findFirst();
  }

  @Override
  public List<Long> heldIds(TicketQuery query, long afterId, Instant heldBefore, int limit) {
    return rows(
        sql.load("console_held_ids"),
        statement ->
            filter(statement, query)
                .bind("after", afterId)
                .bind("seen", time(heldBefore))
                .bind("limit", limit),
        (row, context) -> row.getLong(1));
  }

  @Override
  public List<RunningTicket> running(int limit) {
    return rows(
        sql.load("console_running_now"),
        statement -> statement.bind("limit", limit),
        ConstructorMapper.of(RunningTicket.class));
  }

  @Override
  public List<Flow> flow() {
    return rows(sql.load("console_flow"), statement -> statement, ConstructorMapper.of(Flow.class));
  }

  @Override
  public List<DesignLine> designs() {
    return rows(
        sql.load("console_designs"),
        statement -> statement.bind("window", WINDOW),
        ConstructorMapper.of(DesignLine.class));
  }

  @Override
  public List<DesignVersion> designVersions(String name) {
    return rows(
        sql.inSchema(
            """
            SELECT id, name, version, kind, definition::text AS definition, created_at, created_by
            FROM holdfast.designs WHERE name = :name ORDER BY version DESC
            """),
        statement -> statement.bind("name", name),
        ConstructorMapper.of(DesignVersion.class));
  }

  @Override
  public List<String> queueNames() {
    return rows(
        sql.inSchema("SELECT name FROM holdfast.queues ORDER BY name LIMIT 200"),
        query -> query,
        (row, context) -> row.getString(1));
  }

  @Override
  public List<ProviderState> providers() {
    return rows(
        sql.load("console_providers"), query -> query, ConstructorMapper.of(ProviderState.class));
  }

  @Override
  public List<BudgetState> budgets() {
    return rows(
        sql.inSchema(
            """
            SELECT scope, per, limit_usd AS "limit", reserved_usd AS reserved,
              CASE WHEN per = 'day' AND day < (now() AT TIME ZONE 'UTC')::date THEN 0
                ELSE spent_usd END AS spent
            FROM holdfast.budgets ORDER BY scope
            """),
        query -> query,
        ConstructorMapper.of(BudgetState.class));
  }

  private <T> List<T> rows(String statement, UnaryOperator<Query> arguments, RowMapper<T> mapper) {
    return transactions.runStatement(
        handle ->
            arguments
                .apply(handle.createQuery(statement))
                .addCustomizer(PLANNED_EACH_TIME)
                .map(mapper)
                .list());
  }
}
