package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Calls {@code advance_releases} and {@code advance_batches}, each in a transaction of its own.
 * Thread-safe.
 */
public final class PostgresBatchKeeper {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Transactions transactions;
  private final String batches;
  private final String releases;

  public PostgresBatchKeeper(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    Sql sql = new Sql(schema);
    this.batches = sql.inSchema("SELECT holdfast.advance_batches()");
    this.releases = sql.inSchema("SELECT holdfast.advance_releases()");
  }

  /** Does what is due; returns when to call again. */
  public Duration advance() {
    long looked = count(releases) + count(batches);
    return looked > 0 ? Duration.ZERO : PAUSE;
  }

  private long count(String call) {
    return transactions.runStatement(handle -> handle.createQuery(call).mapTo(Long.class).one());
  }
}
