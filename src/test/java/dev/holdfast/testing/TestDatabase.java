package dev.holdfast.testing;

import java.sql.SQLException;
import javax.sql.DataSource;

/** A fresh database with the newest schema, gone when its test class ends. Thread-safe. */
public final class TestDatabase implements AutoCloseable {
  private final String jdbcUrl;
  private final String user;
  private final String password;
  private final int serverMajorVersion;
  private final WarmDataSource dataSource;

  TestDatabase(String jdbcUrl, String user, String password, int serverMajorVersion) {
    this.jdbcUrl = jdbcUrl;
    this.user = user;
    this.password = password;
    this.serverMajorVersion = serverMajorVersion;
    this.dataSource = new WarmDataSource(jdbcUrl, user, password);
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

  /** Sessions as if they were new, in {@link TestServer#TIME_ZONE}. */
  public DataSource dataSource() {
    return dataSource;
  }

  @Override
  public void close() throws SQLException {
    dataSource.close();
  }

  @Override
  public String toString() {
    return jdbcUrl + " (PostgreSQL " + serverMajorVersion + ")";
  }
}
