package dev.holdfast.postgres.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Sessions for tests. One that is closed is used again as if it were new, for a new one compiles
 * every function that it calls. Nobody waits for one, and one that somebody has ended is not given
 * out. Thread-safe.
 */
public final class WarmDataSource extends PGSimpleDataSource implements AutoCloseable {
  private static final long serialVersionUID = 1;

  private static final String AS_NEW =
      "SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; UNLISTEN *; CLOSE ALL; DEALLOCATE"
          + " ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; ";

  private final String settings;
  private final transient Deque<Connection> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param settings with which each session begins, in SQL; may be empty
   */
  public WarmDataSource(String jdbcUrl, String user, String password, String settings) {
    this.settings = settings;
    setUrl(jdbcUrl);
    setUser(user);
    setPassword(password);
    // A plan that the server keeps would outlive a change of the schema.
    setPrepareThreshold(0);
  }

  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    for (Connection next = poll(); next != null; next = poll()) {
      if (next.isValid(10)) {
        return lend(next);
      }
      next.close();
    }
    Connection connection = super.getConnection(user, password);
    run(connection, settings);
    return lend(connection);
  }

  private Connection lend(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, new Lent(connection));
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private synchronized @Nullable Connection poll() {
    return idle.pollLast();
  }

  private synchronized boolean keep(Connection connection) {
    return !closed && idle.offerLast(connection);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    for (Connection next = poll(); next != null; next = poll()) {
      try {
        next.close();
      } catch (SQLException e) {
        // Its server has gone, and it with it.
      }
    }
  }

  private final class Lent implements InvocationHandler {
    private final Connection connection;
    private volatile boolean lastUse;
    private boolean over;

    Lent(Connection connection) {
      this.connection = connection;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments)
        throws Throwable {
      switch (method.getName()) {
        case "close" -> {
          giveBack();
          return null;
        }
        case "isClosed" -> {
          return isOver() || connection.isClosed();
        }
        // Who waits for notifications is told by a real end that they are over.
        case "unwrap", "abort" -> lastUse = true;
        default -> {}
      }
      if (isOver() && method.getDeclaringClass() != Object.class) {
        throw new SQLException("This connection has been closed.", "08003");
      }
      try {
        return method.invoke(connection, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private synchronized boolean isOver() {
      return over;
    }

    private void giveBack() throws SQLException {
      synchronized (this) {
        if (over) {
          return;
        }
        over = true;
      }
      if (lastUse || !isAsNew() || !keep(connection)) {
        connection.close();
      }
    }

    private boolean isAsNew() {
      try {
        if (connection.isClosed()) {
          return false;
        }
        if (!connection.getAutoCommit()) {
          connection.rollback();
          connection.setAutoCommit(true);
        }
        connection.setReadOnly(false);
        connection.setNetworkTimeout(Runnable::run, 0);
        run(connection, AS_NEW + settings);
        connection.clearWarnings();
        return true;
      } catch (SQLException e) {
        return false;
      }
    }
  }
}
