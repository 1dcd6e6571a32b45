package dev.holdfast.postgres.testing;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Tells tests if there is work. Thread-safe. */
public final class TestQueueState {
  private static final Duration LOOK = Duration.ofMillis(5);

  private final Transactions transactions;
  private final Sql sql = new Sql("holdfast");

  public TestQueueState(DataSource dataSource) {
    this.transactions = new Transactions(dataSource);
  }

  /** Returns the number of attempts that have ended. */
  public long attempts() {
    return number("SELECT count(*) FROM holdfast.ticket_attempts");
  }

  /**
   * Does now what workers do beside tickets: expired tickets go on hold, batches end, releases go
   * on. It uses one transaction: workers pass over what it has changed, and it waits for what they
   * have locked.
   */
  public void keepUp() {
    transactions.run(
        handle -> {
          number(handle, sql.load("test_look_now"));
          long some;
          do {
            some =
                number(handle, "SELECT holdfast.hold_expired()")
                    + number(handle, "SELECT holdfast.advance_batches()")
                    + number(handle, "SELECT holdfast.advance_releases()");
          } while (some > 0);
          return some;
        });
  }

  /**
   * Waits until nothing is due for these kinds and nothing runs.
   *
   * @return false if the deadline or an interrupt came before
   */
  public boolean awaitIdle(Collection<String> kinds, long deadlineNanos) {
    while (hasWork(kinds)) {
      if (System.nanoTime() > deadlineNanos || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return true;
  }

  /** Returns true if something is due for these kinds, or runs. */
  public boolean hasWork(Collection<String> kinds) {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.load("test_has_work"))
                .bind("kinds", kinds.toArray(String[]::new))
                .mapTo(Boolean.class)
                .one());
  }

  /** Describes the work that is left. */
  public String describe() {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(
                    sql.inSchema(
                        "SELECT COALESCE(string_agg(format('%s tickets of kind %s are %s', n, kind,"
                            + " state), ', '), 'no ticket') FROM (SELECT kind, state, count(*) AS n"
                            + " FROM holdfast.tickets WHERE state IN ('ready', 'in_progress') GROUP"
                            + " BY kind, state ORDER BY kind, state) x"))
                .mapTo(String.class)
                .one());
  }

  /**
   * Deletes tickets, batches, releases, schedules and cool-downs; after that no rate is used up.
   */
  public void clear() {
    transactions.run(handle -> handle.createScript(sql.load("test_clear")).execute());
  }

  private long number(String query) {
    return transactions.runStatement(handle -> number(handle, query));
  }

  private long number(Handle handle, String query) {
    return handle.createQuery(sql.inSchema(query)).mapTo(Long.class).one();
  }
}
