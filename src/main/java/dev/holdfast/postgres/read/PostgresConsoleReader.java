package dev.holdfast.postgres.read;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.read.DesignHealth;
import dev.holdfast.queue.spending.ProviderStatus;
import dev.holdfast.queue.view.BusySlots;
import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.DesignReviews;
import dev.holdfast.queue.view.DesignVersion;
import dev.holdfast.queue.view.Flow;
import dev.holdfast.queue.view.Inbox;
import dev.holdfast.queue.view.InboxQuery;
import dev.holdfast.queue.view.ModelUse;
import dev.holdfast.queue.view.ReleasedTickets;
import dev.holdfast.queue.view.RunningTicket;
import dev.holdfast.queue.view.StateCounts;
import dev.holdfast.ticket.TicketState;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.Query;

/** Reads for the console, one or two statements per call. Thread-safe. */
public final class PostgresConsoleReader implements ConsoleReader {
  private final Transactions transactions;
  private final Sql sql;

  public PostgresConsoleReader(DataSource dataSource) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql("holdfast");
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
            query -> query.bind("window", TicketPages.WINDOW).bind("most", most),
            (row, context) -> row.getLong(1))
        .getFirst();
  }

  @Override
  public List<DesignReviews> reviewsByDesign() {
    return rows(
        sql.load("console_reviews"),
        query -> query.bind("window", TicketPages.WINDOW),
        RecordMapper.of(DesignReviews.class));
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
            query -> query.bind("window", TicketPages.WINDOW),
            (row, context) -> Map.entry(row.getString("state"), row.getLong("n")))
        .forEach(
            each ->
                TicketState.ofWireName(each.getKey())
                    .ifPresent(state -> counts.put(state, each.getValue())));
    long all = counts.values().stream().mapToLong(Long::longValue).sum();
    return new StateCounts(counts, all >= TicketPages.WINDOW);
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
  public ReleasedTickets released(String release) {
    return rows(
            sql.load("console_released"),
            query -> query.bind("release", release),
            (row, context) ->
                new ReleasedTickets(
                    row.getLong("total"), row.getLong("waiting"), row.getLong("held_again")))
        .getFirst();
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
    if (rows.isEmpty()) {
      return query.offset() == 0 ? new Inbox(List.of(), 0, 0) : inbox(query.firstPage()).behind();
    }
    return new Inbox(
        rows.stream().map(HeldGroupRow::group).toList(),
        rows.getFirst().groupCount(),
        rows.getFirst().ticketCount());
  }

  @Override
  public List<RunningTicket> running(int limit) {
    return rows(
        sql.load("console_running_now"),
        statement -> statement.bind("limit", limit),
        RecordMapper.of(RunningTicket.class));
  }

  @Override
  public List<Flow> flow() {
    return rows(sql.load("console_flow"), statement -> statement, RecordMapper.of(Flow.class));
  }

  @Override
  public List<BusySlots> busySlots() {
    return rows(
        sql.load("console_slots"), statement -> statement, RecordMapper.of(BusySlots.class));
  }

  @Override
  public List<ModelUse> modelUse() {
    return rows(
        sql.load("console_models"), statement -> statement, RecordMapper.of(ModelUse.class));
  }

  @Override
  public List<DesignHealth> designs() {
    return rows(
        sql.inSchema("SELECT * FROM holdfast.design_health ORDER BY name"),
        statement -> statement,
        RecordMapper.of(DesignHealth.class));
  }

  @Override
  public List<DesignVersion> designVersions(String name) {
    return rows(
        sql.inSchema(
            """
            SELECT name, version, kind, definition::text AS definition, created_at, created_by
            FROM holdfast.designs WHERE name = :name ORDER BY version DESC
            """),
        statement -> statement.bind("name", name),
        RecordMapper.of(DesignVersion.class));
  }

  @Override
  public List<String> queueNames() {
    return rows(
        sql.inSchema("SELECT name FROM holdfast.queues ORDER BY name LIMIT 200"),
        query -> query,
        (row, context) -> row.getString(1));
  }

  @Override
  public List<ProviderStatus> providers() {
    return rows(
        sql.load("console_providers"), query -> query, RecordMapper.of(ProviderStatus.class));
  }

  private <T> List<T> rows(String statement, UnaryOperator<Query> arguments, RowMapper<T> mapper) {
    return transactions.runStatement(
        handle ->
            arguments
                .apply(handle.createQuery(statement))
                .addCustomizer(TicketPages.PLANNED_EACH_TIME)
                .map(mapper)
                .list());
  }
}
