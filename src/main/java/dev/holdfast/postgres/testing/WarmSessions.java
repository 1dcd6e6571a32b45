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
import org.postgresql.jdbc.PgConnection;

/**
 * Sessions for tests. A closed session is used again as if it were new, because a new one compiles
 * every function that it calls. Nobody waits for a session, and one that somebody has ended is not
 * given out. Thread-safe.
 */
public final class WarmSessions implements AutoCloseable {
  private static final String AS_NEW =
      "SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; UNLISTEN *; CLOSE ALL; DEALLOCATE"
          + " ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; ";

  private final String settings;
  private final Deque<Session> idle = new ArrayDeque<>();
  private boolean closed;

  /** Makes a new session. */
  public interface Opener {
    /**
     * @throws SQLException if the server refuses
     */
    Connection open() throws SQLException;
  }

  private record Session(Connection connection, int networkTimeout) {}

  /**
   * @param settings the SQL with which each session begins; may be empty
   */
  public WarmSessions(String settings) {
    this.settings = settings;
  }

  /**
   * Returns a session that nobody uses, otherwise a new one.
   *
   * @throws SQLException if there is none and the opener fails
   */
  public Connection get(Opener opener) throws SQLException {
    for (Session next = poll(); next != null; next = poll()) {
      if (next.connection().isValid(10)) {
        return lend(next);
      }
      next.connection().close();
    }
    Connection connection = opener.open();
    run(connection, settings);
    return lend(new Session(connection, connection.getNetworkTimeout()));
  }

  private Connection lend(Session session) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, new Lent(session));
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private synchronized @Nullable Session poll() {
    return idle.pollLast();
  }

  private synchronized boolean keep(Session session) {
    return !closed && idle.offerLast(session);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    for (Session next = poll(); next != null; next = poll()) {
      try {
        next.connection().close();
      } catch (SQLException e) {
        // Its server has gone, and the session with it.
      }
    }
  }

  private final class Lent implements InvocationHandler {
    private final Session session;
    private final Connection connection;
    private volatile boolean lastUse;
    private boolean over;

    Lent(Session session) {
      this.session = session;
      this.connection = session.connection();
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
        // A listener that waits for notifications learns of its end only by a real end of the
        // session.
        case "abort" -> lastUse = true;
        case "unwrap" -> lastUse |= !isAsked(arguments);
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

    /**
     * Returns whether this class is asked for: each use of a data source reads its state and its
     * process number.
     */
    private static boolean isAsked(@Nullable Object[] arguments) {
      return arguments[0] == PgConnection.class;
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
      if (lastUse || !isAsNew() || !keep(session)) {
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
        connection.setNetworkTimeout(Runnable::run, session.networkTimeout());
        run(connection, AS_NEW + settings);
        connection.clearWarnings();
        return true;
      } catch (SQLException e) {
        return false;
      }
    }
  }
}
