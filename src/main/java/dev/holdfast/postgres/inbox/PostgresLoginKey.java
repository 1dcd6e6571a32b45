package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * The secret that signs logins, the same for every console on the database. It is read once.
 * Thread-safe.
 */
public final class PostgresLoginKey {
  private final Jdbi jdbi;
  private final String read;
  private volatile @Nullable String secret;

  public PostgresLoginKey(DataSource dataSource, String schema) {
    this.jdbi = Jdbi.create(dataSource);
    this.read = new Sql(schema).inSchema("SELECT holdfast.web_key()");
  }

  /**
   * @throws dev.holdfast.queue.QueueUnavailableException if it was never read and the database is
   *     away
   */
  public String secret() {
    String known = secret;
    if (known != null) {
      return known;
    }
    try {
      String found = jdbi.withHandle(handle -> handle.createQuery(read).mapTo(String.class).one());
      secret = found;
      return found;
    } catch (JdbiException e) {
      throw SqlErrors.translate(e);
    }
  }
}
