package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import java.time.Duration;
import javax.sql.DataSource;

/** Calls {@code roll_up_figures}, which does everything in one transaction. Thread-safe. */
public final class PostgresFigureKeeper {
  private final Transactions transactions;
  private final String count;

  public PostgresFigureKeeper(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.count =
        new Sql(schema)
            .inSchema("SELECT ceil(1000 * EXTRACT(epoch FROM holdfast.roll_up_figures()))::bigint");
  }

  /** Counts on, at most a quarter of an hour of the database's time; returns when to call again. */
  public Duration count() {
    return Duration.ofMillis(
        transactions.runStatement(handle -> handle.createQuery(count).mapTo(Long.class).one()));
  }
}
