package dev.holdfast.postgres;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Hands out one connection again and again: a one-shot command needs no more, and a pool would take
 * longer to start than the command takes to run. A lost connection is replaced at the next call.
 * Used by one thread, one connection at a time.
 */
public final class SingleConnection implements DataSource, AutoCloseable {
  private final DataSource source;
  private @Nullable Connection connection;

  public SingleConnection(DataSource source) {
    this.source = source;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection current = connection;
    if (current == null || current.isClosed()) {
      current = source.getConnection();
      connection = current;
    }
    return lent(current);
  }

  private static Connection lent(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            SingleConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                giveBack(real);
                return null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void giveBack(Connection real) throws SQLException {
    if (!real.isClosed() && !real.getAutoCommit()) {
      real.rollback();
      real.setAutoCommit(true);
    }
  }

  @Override
  public void close() {
    Connection current = connection;
    connection = null;
    if (current != null) {
      try {
        current.close();
      } catch (SQLException e) {
        throw SqlErrors.translate(e);
      }
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the connection has its user already");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {
    // Nothing is logged.
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    source.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return source.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("no java.util.logging");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return source.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return source.isWrapperFor(type);
  }
}
