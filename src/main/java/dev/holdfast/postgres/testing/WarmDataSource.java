package dev.holdfast.postgres.testing;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** {@link WarmSessions} of one database, for tests. Thread-safe. */
public final class WarmDataSource extends PGSimpleDataSource implements AutoCloseable {
  private static final long serialVersionUID = 1;

  private final transient WarmSessions sessions;

  /**
   * @param settings the SQL with which each session begins; may be empty
   */
  public WarmDataSource(String jdbcUrl, String user, String password, String settings) {
    this.sessions = new WarmSessions(settings);
    setUrl(jdbcUrl);
    setUser(user);
    setPassword(password);
    // A plan that the server keeps would outlive a change of the schema.
    setPrepareThreshold(0);
  }

  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    return sessions.get(() -> super.getConnection(user, password));
  }

  @Override
  public void close() {
    sessions.close();
  }
}
