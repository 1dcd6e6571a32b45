package dev.holdfast.postgres.testing;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/**
 * A time that passes when a test says so. The database's clock stays as it is: the times that
 * tickets wait for come nearer, and schedules, which use times of the calendar, are asked with a
 * clock that is ahead. For one test at a time.
 */
public final class TestClock {
  private final Transactions transactions;
  private final Sql sql = new Sql("holdfast");
  private Duration ahead = Duration.ZERO;

  /** The time at which each schedule was put or resumed, as it was last seen. */
  private final Map<String, Instant> met = new HashMap<>();

  public TestClock(DataSource dataSource) {
    this.transactions = new Transactions(dataSource);
  }

  /** Returns the lead of the schedules' clock over the database's. */
  public Duration ahead() {
    return ahead;
  }

  /** Sets the clock of schedules back to the database's. */
  public void reset() {
    ahead = Duration.ZERO;
    met.clear();
  }

  /** Lets time pass: everything that waits for a time waits that much less. */
  public void pass(Duration time) {
    if (time.isZero()) {
      return;
    }
    ahead = ahead.plus(time);
    transactions.run(
        handle ->
            handle
                .createQuery(sql.load("test_pass_time"))
                .bind("micros", time.toNanos() / 1000)
                .mapTo(Long.class)
                .one());
  }

  /**
   * Shifts schedules that were put or resumed since the last call: they count from the time that
   * had passed by then, which the database does not know.
   */
  public void meetSchedules() {
    transactions.run(
        handle -> {
          Map<String, Instant> changed = updated(handle);
          changed.entrySet().removeAll(met.entrySet());
          if (!ahead.isZero()) {
            changed.keySet().forEach(name -> shift(handle, name));
          }
          met.clear();
          met.putAll(updated(handle));
          return changed.size();
        });
  }

  private Map<String, Instant> updated(Handle handle) {
    Map<String, Instant> updated = new HashMap<>();
    handle
        .createQuery(sql.inSchema("SELECT name, updated_at FROM holdfast.schedules"))
        .map((row, context) -> Map.entry(row.getString(1), row.getTimestamp(2).toInstant()))
        .forEach(each -> updated.put(each.getKey(), each.getValue()));
    return updated;
  }

  /**
   * Shifts a schedule. One that was put has its anchor at that time. Its next time is computed
   * again.
   */
  private void shift(Handle handle, String name) {
    String update =
        """
        UPDATE holdfast.schedules s SET updated_at = s.updated_at + p.ahead, next_runs = NULL,
          anchor_at = s.anchor_at + CASE WHEN p.put THEN p.ahead ELSE interval '0' END,
          next_at = CASE WHEN NOT p.put AND s.next_at > s.updated_at + p.ahead THEN s.next_at END
        FROM (SELECT x.name, :micros * interval '1 microsecond' AS ahead, x.anchor_at = date_trunc('second', x.updated_at) AS put
          FROM holdfast.schedules x) p
        WHERE s.name = :name AND p.name = s.name
        """;
    handle
        .createUpdate(sql.inSchema(update))
        .bind("micros", ahead.toNanos() / 1000)
        .bind("name", name)
        .execute();
  }

  public boolean hasSchedules() {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT EXISTS (SELECT FROM holdfast.schedules)"))
                .mapTo(Boolean.class)
                .one());
  }

  /** Returns the time until a schedule is due next; empty if none is. */
  public Optional<Duration> untilSchedule() {
    String query =
        """
        SELECT ceil(EXTRACT(epoch FROM min(s.next_at) - now()) * 1000000)::bigint FROM holdfast.schedules s
        WHERE s.paused_at IS NULL AND s.problem IS NULL AND s.next_at > now() + :micros * interval '1 microsecond'
        """;
    return transactions
        .runStatement(
            handle ->
                handle
                    .createQuery(sql.inSchema(query))
                    .bind("micros", ahead.toNanos() / 1000)
                    .mapTo(Long.class)
                    .findFirst())
        .map(micros -> Duration.ofNanos(micros * 1000).minus(ahead));
  }
}
