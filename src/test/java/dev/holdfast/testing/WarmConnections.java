package dev.holdfast.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections for the statements of tests, used again where nothing of a statement can be left in
 * its session: a new session compiles every function that it calls. Not a pool: nobody waits for
 * one, and one that somebody has ended is not given out. Thread-safe.
 */
public final class WarmConnections implements AutoCloseable {
  private static final Pattern LEAVES_NOTHING =
      Pattern.compile(
          "\\s*(SELECT|INSERT|UPDATE|DELETE)\\b(?!.*(set_config|advisory_lock)).*", Pattern.DOTALL);

  private final DataSource dataSource;
  private final Deque<Connection> idle = new ArrayDeque<>();
  private boolean closed;

  WarmConnections(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** What is done with a statement. */
  public interface Work<T> {
    T with(PreparedStatement statement) throws SQLException;
  }

  /** On a warm connection of a test database, or on a new one of any other source. */
  public static <T> T with(DataSource dataSource, String sql, Work<T> work) throws SQLException {
    if (dataSource instanceof FarAwayDataSource far && far.warm() != null) {
      return far.warm().with(sql, work);
    }
    try (Connection connection = dataSource.getConnection()) {
      return with(connection, sql, work);
    }
  }

  private <T> T with(String sql, Work<T> work) throws SQLException {
    if (!LEAVES_NOTHING.matcher(sql).matches()) {
      try (Connection connection = dataSource.getConnection()) {
        return with(connection, sql, work);
      }
    }
    Connection connection = take();
    boolean done = false;
    try {
      T answer = with(connection, sql, work);
      done = true;
      return answer;
    } finally {
      if (!done || !keep(connection)) {
        connection.close();
      }
    }
  }

  private static <T> T with(Connection connection, String sql, Work<T> work) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      return work.with(statement);
    }
  }

  private Connection take() throws SQLException {
    for (Connection next = poll(); next != null; next = poll()) {
      if (next.isValid(10)) {
        return next;
      }
      next.close();
    }
    return dataSource.getConnection();
  }

  private synchronized @Nullable Connection poll() {
    return idle.pollLast();
  }

  private synchronized boolean keep(Connection connection) {
    return !closed && idle.offerLast(connection);
  }

  @Override
  public void close() throws SQLException {
    synchronized (this) {
      closed = true;
    }
    for (Connection next = poll(); next != null; next = poll()) {
      next.close();
    }
  }
}
