package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Retention;
import dev.holdfast.queue.TicketPruner;
import dev.holdfast.ticket.InvalidInputException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what retention no longer keeps, and the rows of workers long gone. It goes through the
 * tickets from the oldest on, page by page, and stops at the first page without a ticket that is
 * old enough: to look at all of them took a second per three million, at every start of a worker.
 * Thread-safe; several workers may prune at once.
 */
public final class PostgresTicketPruner implements TicketPruner {
  private static final Logger log = LoggerFactory.getLogger(PostgresTicketPruner.class);

  private static final int PAGE = 10_000;

  /** The factor by which a page becomes smaller if it is refused, and larger again if it is not. */
  private static final int STEP = 10;

  private final Transactions transactions;
  private final String prune;
  private final String pruneWorkers;
  private final String pruneBatches;
  private final String nextTicket;
  private final int pageSize;
  private final AtomicBoolean toldOfReferences = new AtomicBoolean();

  /** The id after which the next call goes on if the last one deleted as many as its limit. */
  private final AtomicLong stoppedAfter = new AtomicLong(Long.MIN_VALUE);

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
    this.nextTicket =
        sql.inSchema(
            "SELECT COALESCE(min(id), :after) FROM holdfast.ticket_base WHERE id > :after");
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
    return pruneTickets(retention, limit);
  }

  /**
   * Deletes tickets. If a row of a foreign table refers to a ticket, its page is refused as a
   * whole.
   */
  private int pruneTickets(Retention retention, int limit) {
    int deleted = 0;
    long after = stoppedAfter.getAndSet(Long.MIN_VALUE);
    int size = pageSize;
    while (true) {
      try {
        Page page = prune(retention, after, size, limit - deleted);
        deleted += page.deleted();
        boolean allYoung = !page.aged() && size == pageSize;
        if (deleted >= limit) {
          stoppedAfter.set(after);
          return deleted;
        }
        if (page.last() == null || allYoung) {
          return deleted;
        }
        after = page.last();
        size = Math.min(pageSize, size * STEP);
      } catch (InvalidInputException e) {
        if (size == 1) {
          after = passedOver(after, e);
        }
        size = Math.max(1, size / STEP);
      }
    }
  }

  private long passedOver(long after, InvalidInputException e) {
    long id =
        transactions.runStatement(
            handle -> handle.createQuery(nextTicket).bind("after", after).mapTo(Long.class).one());
    if (!toldOfReferences.getAndSet(true)) {
      log.warn(
          "ticket {} is past its time and stays, as do all that other tables refer to: {}; a"
              + " foreign key with ON DELETE CASCADE or ON DELETE SET NULL lets them go",
          id,
          e.getMessage());
    }
    return id;
  }

  private int pruneWorkers(Handle handle, Retention retention) {
    return handle
        .createUpdate(pruneWorkers)
        .bind("ms", retention.stoppedWorkers().toMillis())
        .execute();
  }

  private Page prune(Retention retention, long after, int size, int limit) {
    return transactions.run(
        handle ->
            PinnedPlan.on(handle.createQuery(prune))
                .bind("after", after)
                .bind("page", size)
                .bind("done_ms", retention.done().toMillis())
                .bind("cancelled_ms", retention.cancelled().toMillis())
                .bind("limit", limit)
                .map((row, context) -> Page.map(row))
                .one());
  }
}
