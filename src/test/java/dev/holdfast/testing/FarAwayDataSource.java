package dev.holdfast.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Sets the session's time zone, which the driver otherwise takes from the JVM whatever the server
 * says.
 */
final class FarAwayDataSource extends PGSimpleDataSource {
  private static final long serialVersionUID = 1;

  private final transient @Nullable WarmConnections warm;

  FarAwayDataSource(@Nullable WarmConnections warm) {
    this.warm = warm;
  }

  /** For statements that need no session of their own. */
  @Nullable WarmConnections warm() {
    return warm;
  }

  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    Connection connection = super.getConnection(user, password);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TIME ZONE '" + TestServer.TIME_ZONE + "'");
    }
    return connection;
  }
}
