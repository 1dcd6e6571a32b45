package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The secret that signs logins, the same for every console on the database. It is read once.
 * Thread-safe.
 */
public final class PostgresLoginKey {
  private final Transactions transactions;
  private final String read;
  private volatile @Nullable String secret;

  public PostgresLoginKey(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.read = new Sql(schema).inSchema("SELECT holdfast.web_key()");
  }

  /**
   * @throws dev.holdfast.queue.DatabaseUnavailableException if it was not read before and the
   *     database is away
   */
  public String secret() {
    String known = secret;
    if (known != null) {
      return known;
    }
    String found =
        transactions.runStatement(handle -> handle.createQuery(read).mapTo(String.class).one());
    secret = found;
    return found;
  }
}
