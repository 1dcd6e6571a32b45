package dev.holdfast.testing;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A fresh database with the newest schema, gone when its test class ends. Thread-safe. */
public final class TestDatabase implements AutoCloseable {
  private final String jdbcUrl;
  private final String user;
  private final String password;
  private final int serverMajorVersion;
  private final WarmConnections connections;

  TestDatabase(String jdbcUrl, String user, String password, int serverMajorVersion) {
    this.jdbcUrl = jdbcUrl;
    this.user = user;
    this.password = password;
    this.serverMajorVersion = serverMajorVersion;
    PGSimpleDataSource dataSource = source(null);
    // A plan that the server keeps would outlive a change of the schema.
    dataSource.setPrepareThreshold(0);
    this.connections = new WarmConnections(dataSource);
  }

  /** Without user and password. */
  public String jdbcUrl() {
    return jdbcUrl;
  }

  /** A superuser. */
  public String user() {
    return user;
  }

  public String password() {
    return password;
  }

  /** For example 18. */
  public int serverMajorVersion() {
    return serverMajorVersion;
  }

  /**
   * Unpooled: every connection is new and speaks in {@link TestServer#TIME_ZONE}, so that code
   * which leans on the session's time zone is found out.
   */
  public DataSource dataSource() {
    return source(connections);
  }

  private PGSimpleDataSource source(@Nullable WarmConnections warm) {
    PGSimpleDataSource dataSource = new FarAwayDataSource(warm);
    dataSource.setUrl(jdbcUrl);
    dataSource.setUser(user);
    dataSource.setPassword(password);
    return dataSource;
  }

  @Override
  public void close() throws SQLException {
    connections.close();
  }

  @Override
  public String toString() {
    return jdbcUrl + " (PostgreSQL " + serverMajorVersion + ")";
  }
}
