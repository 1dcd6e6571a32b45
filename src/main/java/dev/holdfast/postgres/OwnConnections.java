package dev.holdfast.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * Connections on which each statement commits by itself. A pool of somebody else's may hand out
 * some that wait for a COMMIT, which Jdbi takes for a transaction of somebody else's and does not
 * end: the pool would undo all work. The pool gets them back as they were. Thread-safe.
 */
final class OwnConnections implements ConnectionFactory {
  private final DataSource dataSource;
  private final Set<Connection> changed = ConcurrentHashMap.newKeySet();

  OwnConnections(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
        changed.add(connection);
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void closeConnection(Connection connection) throws SQLException {
    // A try with resources: what cannot be put back is closed all the same.
    try (connection) {
      if (changed.remove(connection) && !connection.isClosed()) {
        connection.setAutoCommit(false);
      }
    }
  }
}
