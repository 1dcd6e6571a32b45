package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import javax.sql.DataSource;

/** Tells the SQL functions the worker's limits on new tickets. Thread-safe. */
public final class PostgresEntryLimits {
  private final Transactions transactions;
  private final Sql sql;

  public PostgresEntryLimits(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
  }

  /** Sets the limits for new tickets from now on; the last call of all workers counts. */
  public void set(PayloadLimits limits) {
    String update =
        sql.inSchema(
            "UPDATE holdfast.entry_limits SET payload_max_expanded_bytes = :bytes"
                + " WHERE payload_max_expanded_bytes <> :bytes");
    transactions.run(
        handle -> handle.createUpdate(update).bind("bytes", limits.expandedBytes()).execute());
  }
}
