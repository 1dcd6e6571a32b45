package dev.holdfast.testing;

import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A fresh database with the newest schema, gone when its test class ends. Thread-safe.
 *
 * @param jdbcUrl without user and password
 * @param user a superuser
 * @param serverMajorVersion for example 18
 */
public record TestDatabase(String jdbcUrl, String user, String password, int serverMajorVersion) {
  /**
   * Unpooled: every connection is new and speaks in {@link TestServer#TIME_ZONE}, so that code
   * which leans on the session's time zone is found out.
   */
  public DataSource dataSource() {
    PGSimpleDataSource dataSource = new FarAwayDataSource();
    dataSource.setUrl(jdbcUrl);
    dataSource.setUser(user);
    dataSource.setPassword(password);
    return dataSource;
  }

  @Override
  public String toString() {
    return jdbcUrl + " (PostgreSQL " + serverMajorVersion + ")";
  }
}
