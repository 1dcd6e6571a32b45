package dev.holdfast.peers;

import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A schema for one peer's tables, gone when closed, and the pool that the peer works with. */
final class PeerSchema implements AutoCloseable {
  /** Not the benchmark's own name: it ends all sessions of that name when it ends. */
  private static final String APPLICATION = "holdfast-peer";

  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final String name;
  private final DataSource direct;
  private final ConnectionPool pool;

  private PeerSchema(String name, DataSource direct, ConnectionPool pool) {
    this.name = name;
    this.direct = direct;
    this.pool = pool;
  }

  /** Makes it anew; what an earlier benchmark left behind is dropped. */
  static PeerSchema create(Database database, String name, int poolSize) {
    Database own = database.withApplicationName(APPLICATION).searching(name);
    PeerSchema schema = new PeerSchema(name, own.unpooled(), own.withPoolSize(poolSize).pool());
    schema.execute("DROP SCHEMA IF EXISTS " + name + " CASCADE", "CREATE SCHEMA " + name);
    return schema;
  }

  /** Its connections look for tables in this schema only. */
  DataSource pooled() {
    return pool.dataSource();
  }

  void execute(String... statements) {
    try (Connection connection = direct.getConnection()) {
      execute(connection, statements);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** As Holdfast's tables before a run: vacuumed, analyzed, and a checkpoint where allowed. */
  void settle(String table) {
    execute("VACUUM (ANALYZE) " + table);
    try (Connection connection = direct.getConnection()) {
      execute(connection, "CHECKPOINT");
    } catch (SQLException e) {
      if (!INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        throw SqlErrors.translate(e);
      }
    }
  }

  /** The only number that a query answers. */
  long number(String query) {
    try (Connection connection = direct.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public void close() {
    pool.close();
    execute("DROP SCHEMA IF EXISTS " + name + " CASCADE");
  }
}
