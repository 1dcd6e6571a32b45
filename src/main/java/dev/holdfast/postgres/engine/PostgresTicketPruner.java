package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Retention;
import dev.holdfast.queue.TicketPruner;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what retention lets go, and the rows of workers long gone. Goes through the tickets from
 * the oldest on, page by page, and stops at the first page of which none is old enough: to look at
 * all of them took a second per three million, at every start of a worker. Thread-safe; several
 * workers may prune at once.
 */
public final class PostgresTicketPruner implements TicketPruner {
  private static final int PAGE = 10_000;

  private final Transactions transactions;
  private final String prune;
  private final String pruneWorkers;
  private final String pruneBatches;
  private final int pageSize;

  public PostgresTicketPruner(DataSource dataSource, String schema) {
    this(dataSource, schema, PAGE);
  }

  PostgresTicketPruner(DataSource dataSource, String schema, int pageSize) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.prune = sql.loadPinned("prune");
    this.pruneWorkers =
        sql.inSchema(
            "DELETE FROM holdfast.workers WHERE heartbeat_at < now() - :ms * interval '1"
                + " millisecond'");
    this.pruneBatches = sql.load("prune_batches");
    this.pageSize = pageSize;
  }

  /**
   * The result of pruning a page.
   *
   * @param last the id of its last ticket; null if it is empty
   * @param aged whether a ticket in it was created long enough ago to be past its time
   */
  private record Page(int deleted, @Nullable Long last, boolean aged) {
    static Page map(ResultSet row) throws SQLException {
      return new Page(
          row.getInt("deleted"), row.getObject("last", Long.class), row.getBoolean("aged"));
    }
  }

  @Override
  public int prune(Retention retention, int limit) {
    if (!retention.stoppedWorkers().isZero()) {
      transactions.run(handle -> pruneWorkers(handle, retention));
    }
    if (!retention.done().isZero()) {
      transactions.run(
          handle ->
              handle.createUpdate(pruneBatches).bind("ms", retention.done().toMillis()).execute());
    }
    int deleted = 0;
    long after = Long.MIN_VALUE;
    while (true) {
      Page page = prune(retention, after, limit - deleted);
      deleted += page.deleted();
      if (page.last() == null || !page.aged() || deleted >= limit) {
        return deleted;
      }
      after = page.last();
    }
  }

  private int pruneWorkers(Handle handle, Retention retention) {
    return handle
        .createUpdate(pruneWorkers)
        .bind("ms", retention.stoppedWorkers().toMillis())
        .execute();
  }

  private Page prune(Retention retention, long after, int limit) {
    return transactions.run(
        handle ->
            PinnedPlan.on(handle.createQuery(prune))
                .bind("after", after)
                .bind("page", pageSize)
                .bind("done_ms", retention.done().toMillis())
                .bind("cancelled_ms", retention.cancelled().toMillis())
                .bind("limit", limit)
                .map((row, context) -> Page.map(row))
                .one());
  }
}
