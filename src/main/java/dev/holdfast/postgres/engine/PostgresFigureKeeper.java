package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.FigureKeeper;
import java.time.Duration;
import javax.sql.DataSource;

/** Calls {@code roll_up_figures}, which does all of it in one transaction. Thread-safe. */
public final class PostgresFigureKeeper implements FigureKeeper {
  private final Transactions transactions;
  private final String count;

  public PostgresFigureKeeper(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.count =
        new Sql(schema)
            .inSchema("SELECT ceil(1000 * EXTRACT(epoch FROM holdfast.roll_up_figures()))::bigint");
  }

  @Override
  public Duration count() {
    return Duration.ofMillis(
        transactions.runStatement(handle -> handle.createQuery(count).mapTo(Long.class).one()));
  }
}
