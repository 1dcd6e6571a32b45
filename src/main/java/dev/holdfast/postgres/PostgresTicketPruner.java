package dev.holdfast.postgres;

import dev.holdfast.queue.Retention;
import dev.holdfast.queue.TicketPruner;
import javax.sql.DataSource;

/**
 * Deletes what retention lets go, and the rows of workers long gone. Thread-safe; several workers
 * may prune at once.
 */
public final class PostgresTicketPruner implements TicketPruner {
  private final Transactions transactions;
  private final String prune;
  private final String pruneWorkers;

  public PostgresTicketPruner(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.prune = sql.loadPinned("prune");
    this.pruneWorkers =
        sql.inSchema(
            "DELETE FROM holdfast.workers WHERE heartbeat_at < now() - :ms * interval '1"
                + " millisecond'");
  }

  @Override
  public int prune(Retention retention, int limit) {
    return transactions.run(
        handle -> {
          if (!retention.stoppedWorkers().isZero()) {
            handle
                .createUpdate(pruneWorkers)
                .bind("ms", retention.stoppedWorkers().toMillis())
                .execute();
          }
          return PinnedPlan.on(handle.createUpdate(prune))
              .bind("done_ms", retention.done().toMillis())
              .bind("cancelled_ms", retention.cancelled().toMillis())
              .bind("limit", limit)
              .execute();
        });
  }
}
