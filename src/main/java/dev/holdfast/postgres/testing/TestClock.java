package dev.holdfast.postgres.testing;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Time that passes when a test says so. The database's clock stays as it is: the times that tickets
 * wait for come nearer, and schedules, whose times are of the calendar, are asked with a clock that
 * is ahead. For one test at a time.
 */
public final class TestClock {
  private final Transactions transactions;
  private final Sql sql = new Sql("holdfast");
  private Duration ahead = Duration.ZERO;

  public TestClock(DataSource dataSource) {
    this.transactions = new Transactions(dataSource);
  }

  /** The lead of the schedules' clock over the database's. */
  public Duration ahead() {
    return ahead;
  }

  /** The clock of schedules is the database's again. */
  public void reset() {
    ahead = Duration.ZERO;
  }

  /** All that waits for a time waits that much less. */
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

  public boolean hasSchedules() {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT EXISTS (SELECT FROM holdfast.schedules)"))
                .mapTo(Boolean.class)
                .one());
  }

  /** The time until a schedule is due next; empty where none comes. */
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
