package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A snapshot that somebody's analytics keeps open: until it is closed, nothing that is deleted or
 * updated can be cleaned up.
 */
public final class OldSnapshot implements AutoCloseable {
  private final Connection connection;

  private OldSnapshot(Connection connection) {
    this.connection = connection;
  }

  public static OldSnapshot open(DataSource direct) {
    try {
      Connection connection = direct.getConnection();
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      BenchSql.execute(connection, "SELECT 1");
      return new OldSnapshot(connection);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }
}
