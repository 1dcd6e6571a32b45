package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.read.TraceParents;
import java.util.Collection;
import java.util.Map;
import javax.sql.DataSource;
import org.jdbi.v3.core.generic.GenericType;

/** Looks each ticket up by its number. Thread-safe. */
public final class PostgresTraceParents implements TraceParents {
  private final Transactions transactions;
  private final String query;

  public PostgresTraceParents(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.query =
        new Sql(schema)
            .inSchema(
                "SELECT ticket_id, traceparent FROM holdfast.ticket_traces WHERE ticket_id = ANY"
                    + " (:ids)");
  }

  @Override
  public Map<Long, String> of(Collection<Long> ticketIds) {
    return transactions.run(
        handle ->
            handle
                .createQuery(query)
                .bind("ids", ticketIds.toArray(Long[]::new))
                .setMapKeyColumn("ticket_id")
                .setMapValueColumn("traceparent")
                .collectInto(new GenericType<Map<Long, String>>() {}));
  }
}
