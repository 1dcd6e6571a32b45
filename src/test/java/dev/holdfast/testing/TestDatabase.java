package dev.holdfast.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.testing.WarmDataSource;
import javax.sql.DataSource;

/** A fresh database with the newest schema, gone when its test class ends. Thread-safe. */
public final class TestDatabase implements AutoCloseable {
  /** The driver takes the time zone from the JVM, whatever the server says. */
  private static final String ZONE = "SET TIME ZONE '" + TestServer.TIME_ZONE + "'";

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
    this.dataSource = new WarmDataSource(jdbcUrl, user, password, ZONE);
  }

  /** Without user and password. */
  public String jdbcUrl() {
    return jdbcUrl;
  }

  /**
   * The name of the migrated database that this one is a copy of, for who wants another copy.
   * Nobody has a session in it.
   */
  public String template() {
    return jdbcUrl.replaceFirst(".*/", "").replaceFirst("_\\d+$", "_template");
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
   * Sessions as if they were new, in {@link TestServer#TIME_ZONE}, so that code which leans on the
   * session's time zone is found out.
   */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Sessions like those of {@link #dataSource}, but each keeps its plans; the test closes it. */
  public HikariDataSource poolThatKeepsPlans(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl);
    config.setUsername(user);
    config.setPassword(password);
    config.setConnectionInitSql(ZONE);
    config.addDataSourceProperty("prepareThreshold", "1");
    config.setMaximumPoolSize(size);
    return new HikariDataSource(config);
  }

  @Override
  public void close() {
    dataSource.close();
  }

  @Override
  public String toString() {
    return jdbcUrl + " (PostgreSQL " + serverMajorVersion + ")";
  }
}
