package dev.holdfast.postgres;

import static java.sql.Connection.TRANSACTION_READ_COMMITTED;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;

/**
 * Connections on which each statement commits by itself, and sees what was committed before it. A
 * foreign pool may lend connections that wait for a COMMIT. Jdbi takes that for somebody else's
 * transaction and does not end it: the pool would undo all work. Under another isolation than READ
 * COMMITTED the SQL would not see what it has waited for. The pool gets them back as they were;
 * only those behind a pooler continue to prepare nothing on the server. Thread-safe.
 */
final class OwnConnections implements ConnectionFactory {
  /** A threshold that somebody has chosen: it differs from the driver's own. */
  private static final Pattern CHOSEN = Pattern.compile("[?&]prepareThreshold=(?!5(?:&|$))");

  private final DataSource dataSource;

  /**
   * The isolation that each of its sessions had at first. A session that is opened later may have
   * another, as after an ALTER ROLE or on another server.
   */
  private final Map<Connection, Integer> isolations =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** Whether all its connections lead to a pooler; null before the first of them was asked. */
  private volatile @Nullable Boolean pooled;

  private final Set<Connection> changed = ConcurrentHashMap.newKeySet();
  private final Set<Connection> spoiled = ConcurrentHashMap.newKeySet();

  OwnConnections(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = lent();
    try {
      if (!connection.getAutoCommit()) {
        refuseOpenTransaction(connection);
        commitEach(connection);
        changed.add(connection);
      }
      if (isolation(connection) != TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(TRANSACTION_READ_COMMITTED);
      }
      if (!Boolean.FALSE.equals(pooled) && connection.isWrapperFor(PgConnection.class)) {
        nameNothing(connection);
      }
      return connection;
    } catch (SQLException e) {
      spoil(connection);
      closeConnection(connection);
      throw e;
    } catch (HoldfastException e) {
      close(connection);
      throw e;
    }
  }

  /**
   * Returns the isolation of a session. It is asked once, because each question is a round trip.
   */
  private int isolation(Connection connection) throws SQLException {
    Connection session =
        connection.isWrapperFor(PgConnection.class)
            ? connection.unwrap(PgConnection.class)
            : connection;
    Integer known = isolations.get(session);
    if (known == null) {
      known = connection.getTransactionIsolation();
      isolations.put(session, known);
    }
    return known;
  }

  /**
   * Stops the naming of statements behind a pooler. A pooler may lend a server's connection on
   * which the driver's name for a statement belongs to another client: a COMMIT under such a name
   * only read something, and what the caller was told to be stored was lost. A pooler that keeps
   * the names apart is safe; a threshold other than the driver's own, which a data source puts into
   * its URL, too, shows that it is one.
   */
  private void nameNothing(Connection connection) throws SQLException {
    Boolean known = pooled;
    if (known == null) {
      known = !CHOSEN.matcher(connection.getMetaData().getURL()).find() && isPooled(connection);
      pooled = known;
    }
    if (known) {
      connection.unwrap(PgConnection.class).setPrepareThreshold(0);
    }
  }

  /** Returns whether there is a pooler: it reports an invented process when a client connects. */
  private static boolean isPooled(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet pid = statement.executeQuery("SELECT pg_backend_pid()")) {
      return pid.next() && pid.getInt(1) != connection.unwrap(PgConnection.class).getBackendPID();
    }
  }

  /**
   * Refuses an open transaction: to switch autocommit on would commit what somebody else has only
   * half done.
   */
  private static void refuseOpenTransaction(Connection connection) throws SQLException {
    if (hasWritten(connection)) {
      throw inTransaction(null);
    }
  }

  /**
   * Switches autocommit on. A transaction manager's connection refuses that, even before it has
   * written. An exception of the driver, as for a lost connection, has a state.
   */
  private static void commitEach(Connection connection) throws SQLException {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      if (e.getSQLState() == null && !connection.isClosed()) {
        throw inTransaction(e);
      }
      throw e;
    }
  }

  private static HoldfastException inTransaction(@Nullable SQLException cause) {
    return new HoldfastException(
        "the data source lent a connection that is in a transaction, which this call would"
            + " commit: use enqueue(connection, ...) inside a transaction, or call after it",
        cause);
  }

  /**
   * Returns whether the connection has written. A pool that asks SELECT 1 before it lends leaves a
   * transaction open, too.
   */
  private static boolean hasWritten(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(PgConnection.class)) {
      return hasId(connection);
    }
    return switch (connection.unwrap(PgConnection.class).getTransactionState()) {
      case IDLE -> false;
      case FAILED -> true;
      case OPEN -> hasId(connection);
    };
  }

  /**
   * Returns whether the transaction has written; another driver's connection begins one for the
   * question.
   */
  private static boolean hasId(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet written =
            statement.executeQuery("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")) {
      return written.next() && written.getBoolean(1);
    }
  }

  /**
   * Borrows a connection. A foreign data source may throw anything, as when it cannot fetch a
   * token, its pooler is full, or a pool can start no thread: the database was not asked, so it has
   * refused nothing. A command waits for nothing, so it gets the exception as it is.
   */
  private Connection lent() throws SQLException {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      if (dataSource instanceof SingleConnection) {
        throw e;
      }
      HoldfastException known = SqlErrors.translate(e);
      throw DatabaseUnavailableException.isAway(known)
          ? known
          : lendsNone(String.valueOf(known.getMessage()), e);
    } catch (Throwable e) {
      throw lendsNone(e.toString(), e);
    }
  }

  private static DatabaseUnavailableException lendsNone(String why, Throwable cause) {
    return new DatabaseUnavailableException("the data source lends no connection: " + why, cause);
  }

  /**
   * Marks a connection as spoiled. A pool of HikariCP's, as ours is, makes a new one in its place.
   */
  void spoil(Connection connection) {
    spoiled.add(connection);
  }

  /** Puts a connection back; if that fails, it is closed all the same. */
  @Override
  public void closeConnection(Connection connection) throws SQLException {
    try {
      putBack(connection);
    } finally {
      close(connection);
    }
  }

  /**
   * Closes without an interrupt. HikariCP gives a connection to a waiting thread in a loop that
   * only pauses, and an interrupted thread does not pause: a virtual one would keep its carrier
   * from the threads that are to take it.
   */
  private static void close(Connection connection) throws SQLException {
    boolean interrupted = Thread.interrupted();
    try {
      connection.close();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void putBack(Connection connection) throws SQLException {
    boolean waitedForCommit = changed.remove(connection);
    if (spoiled.remove(connection) && evicted(connection)) {
      return;
    }
    if (!connection.isClosed()) {
      int isolation = isolation(connection);
      if (isolation != TRANSACTION_READ_COMMITTED) {
        connection.setTransactionIsolation(isolation);
      }
      if (waitedForCommit) {
        connection.setAutoCommit(false);
      }
    }
  }

  /**
   * Evicts the connection from its pool, if it can. HikariCP is optional: a program with another
   * pool may not have it.
   */
  private boolean evicted(Connection connection) {
    try {
      if (dataSource instanceof HikariDataSource pool) {
        pool.evictConnection(connection);
        return true;
      }
    } catch (NoClassDefFoundError e) {
      // In this case it is no pool of HikariCP's.
    }
    return false;
  }
}
