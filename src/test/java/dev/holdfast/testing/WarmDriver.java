package dev.holdfast.testing;

import dev.holdfast.postgres.testing.WarmSessions;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The driver, but the commands that run in this process take over each other's sessions on the
 * tests' server, as its superuser: most of a short command's cost is what a new session computes
 * anew. Thread-safe.
 */
final class WarmDriver implements Driver, AutoCloseable {
  /** What a command calls itself; the pools of a worker have longer names. */
  private static final String COMMAND = "holdfast";

  private final Driver driver = new org.postgresql.Driver();
  private final Map<String, WarmSessions> warm = new ConcurrentHashMap<>();
  private final String server;
  private final String user;
  private final String password;

  private WarmDriver(TestServerSource source) {
    this.server = source.jdbcUrl("");
    this.user = source.user();
    this.password = source.password();
  }

  /** From now on connections are made by it. */
  static WarmDriver register(TestServerSource source) throws SQLException {
    WarmDriver warm = new WarmDriver(source);
    org.postgresql.Driver.deregister();
    DriverManager.registerDriver(warm);
    return warm;
  }

  /** Ends the sessions of a database. */
  void forget(TestDatabase database) {
    warm.forEach(
        (url, sessions) -> {
          if (url.startsWith(database.jdbcUrl() + "?")) {
            warm.remove(url);
            sessions.close();
          }
        });
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    if (!isCommand(url, info)) {
      return driver.connect(url, info);
    }
    return warm.computeIfAbsent(
            url, key -> new WarmSessions("SET application_name = '" + COMMAND + "'"))
        .get(() -> driver.connect(url, info));
  }

  /** Pools say their name beside the URL; what a command wants is all in it. */
  private boolean isCommand(String url, Properties info) {
    Properties inUrl = url.startsWith(server) ? org.postgresql.Driver.parseURL(url, null) : null;
    return inUrl != null
        && COMMAND.equals(inUrl.getProperty("ApplicationName"))
        && user.equals(info.getProperty("user"))
        && password.equals(info.getProperty("password"));
  }

  @Override
  public boolean acceptsURL(String url) throws SQLException {
    return driver.acceptsURL(url);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
    return driver.getPropertyInfo(url, info);
  }

  @Override
  public int getMajorVersion() {
    return driver.getMajorVersion();
  }

  @Override
  public int getMinorVersion() {
    return driver.getMinorVersion();
  }

  @Override
  public boolean jdbcCompliant() {
    return driver.jdbcCompliant();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger("org.postgresql");
  }

  @Override
  public void close() throws SQLException {
    DriverManager.deregisterDriver(this);
    org.postgresql.Driver.register();
    warm.values().forEach(WarmSessions::close);
  }
}
