package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.takeover.ImportLine;
import dev.holdfast.queue.takeover.ImportOrder;
import dev.holdfast.queue.takeover.SourceDesign;
import dev.holdfast.queue.takeover.SourceTable;
import dev.holdfast.queue.takeover.TicketImport;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Takes over rows page by page, in SQL. */
public final class PostgresTicketImport implements TicketImport {
  private static final int PAGE = 2_000;

  /** An empty relation instead of holdfast.imported_tickets, if there is no schema yet. */
  private static final String NONE_TAKEN =
      "(SELECT NULL::text AS source, NULL::text AS source_id, NULL::bigint AS ticket_id WHERE"
          + " false)";

  private static final String POLICY_PROBLEM = "holdfast.retry_policy_problem(k.retry_strategy)";

  /** A test for what accepted_bytes would refuse, and with it the whole page. */
  private static final String PAYLOAD_PROBLEM =
      "(SELECT holdfast.expanded_bytes(d.payload, l.payload_max_expanded_bytes) >"
          + " l.payload_max_expanded_bytes OR holdfast.is_deep(d.payload)"
          + " FROM holdfast.entry_limits l WHERE l.only_row)";

  private final Transactions transactions;
  private final Sql sql;

  public PostgresTicketImport(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
  }

  @Override
  public List<SourceDesign> designs(SourceTable source) {
    return transactions.run(handle -> designs(handle, source));
  }

  private static List<SourceDesign> designs(Handle handle, SourceTable source) {
    SourceColumns tickets = SourceColumns.ofTickets(handle, source);
    SourceColumns designs = SourceColumns.of(handle, source.schema(), "designs");
    String used =
        "SELECT COALESCE(to_jsonb(s)->>'design_id', '') AS key, count(*) AS tickets FROM "
            + tickets.relation()
            + " s GROUP BY 1";
    String named =
        designs.isOfDesigns()
            ? "SELECT d.id::text AS id, min(d.name::text) AS name, min(d.definition::text) AS"
                + " definition FROM "
                + designs.relation()
                + " d GROUP BY d.id::text HAVING count(*) = 1"
            : "SELECT NULL AS id, NULL AS name, NULL AS definition WHERE false";
    return handle
        .createQuery(
            ("SELECT u.key, n.name, n.definition, u.tickets FROM (%s) u LEFT JOIN (%s) n"
                    + " ON n.id = u.key ORDER BY u.tickets DESC, u.key")
                .formatted(used, named))
        .map(
            (row, context) ->
                new SourceDesign(
                    row.getString("key"),
                    row.getString("name"),
                    row.getString("definition"),
                    row.getLong("tickets")))
        .list();
  }

  @Override
  public boolean isSchemaThere() {
    String there = sql.inSchema("SELECT to_regclass('holdfast.imported_tickets') IS NOT NULL");
    return transactions.run(handle -> handle.createQuery(there).mapTo(Boolean.class).one());
  }

  @Override
  public List<ImportLine> preview(ImportOrder order, IntConsumer looked) {
    String taken = isSchemaThere() ? sql.inSchema("holdfast.imported_tickets") : NONE_TAKEN;
    String statement =
        (mayAskForProblems() ? mapped(POLICY_PROBLEM, PAYLOAD_PROBLEM) : mapped("NULL", "false"))
            + sql.load("import_preview").replace("$taken", taken);
    return pages(order, statement, looked, (handle, query) -> ImportedRow.list(query));
  }

  @Override
  public List<ImportLine> take(ImportOrder order, String actor, IntConsumer looked) {
    String statement = mapped(POLICY_PROBLEM, PAYLOAD_PROBLEM) + sql.load("import_take");
    String file = sql.inSchema("SELECT holdfast.file_tickets(:ids)");
    return pages(
        order,
        statement,
        looked,
        (handle, query) -> {
          List<ImportedRow> rows = ImportedRow.list(query.bind("actor", actor));
          Long[] taken =
              rows.stream()
                  .map(ImportedRow::ticketId)
                  .filter(Objects::nonNull)
                  .toArray(Long[]::new);
          handle.createQuery(file).bind("ids", taken).mapTo(String.class).list();
          return rows;
        });
  }

  private String mapped(String policyProblem, String payloadProblem) {
    return sql.load("import_mapped")
        .replace("$policy_problem", sql.inSchema(policyProblem))
        .replace("$payload_problem", sql.inSchema(payloadProblem));
  }

  /**
   * Returns whether it may ask for problems: a preview also runs without a schema, and for users
   * who may only read.
   */
  private boolean mayAskForProblems() {
    String may =
        sql.inSchema(
            "SELECT has_function_privilege(to_regproc('holdfast.retry_policy_problem'), 'EXECUTE')"
                + " IS TRUE");
    return transactions.run(handle -> handle.createQuery(may).mapTo(Boolean.class).one());
  }

  private List<ImportLine> pages(
      ImportOrder order,
      String statement,
      IntConsumer looked,
      BiFunction<Handle, Query, List<ImportedRow>> work) {
    ImportTally tally = new ImportTally();
    String after = null;
    boolean more = true;
    while (more) {
      String start = after;
      List<ImportedRow> rows =
          transactions.run(handle -> work.apply(handle, page(handle, order, statement, start)));
      rows.forEach(tally::add);
      looked.accept(rows.size());
      more = rows.size() >= PAGE;
      after = rows.isEmpty() ? after : rows.getLast().sourceId();
    }
    tally.addWithoutId(transactions.run(handle -> withoutId(handle, order.source())));
    return tally.lines();
  }

  private static Query page(
      Handle handle, ImportOrder order, String statement, @Nullable String after) {
    // Times without zone are UTC (T3).
    handle.execute("SET LOCAL TimeZone = 'UTC'");
    SourceColumns source = SourceColumns.ofTickets(handle, order.source());
    String start =
        after == null
            ? "WHERE s.id IS NOT NULL"
            : "WHERE s.id > CAST(:after AS " + source.idType() + ")";
    Query query =
        handle.createQuery(
            statement.replace("$source", source.relation()).replace("$start", start));
    if (after != null) {
      query.bind("after", after);
    }
    List<ImportOrder.Choice> designs = order.designs();
    return query
        .bind("limit", PAGE)
        .bind("source", order.source().name())
        .bind("keys", designs.stream().map(ImportOrder.Choice::key).toArray(String[]::new))
        .bind("kinds", designs.stream().map(ImportOrder.Choice::kind).toArray(String[]::new))
        .bind("designs", designs.stream().map(ImportOrder.Choice::designId).toArray(Long[]::new))
        .bind("running", order.running() == ImportOrder.Running.READY ? "ready" : null);
  }

  private static long withoutId(Handle handle, SourceTable source) {
    SourceColumns columns = SourceColumns.ofTickets(handle, source);
    return handle
        .createQuery("SELECT count(*) FROM " + columns.relation() + " s WHERE s.id IS NULL")
        .mapTo(Long.class)
        .one();
  }
}
