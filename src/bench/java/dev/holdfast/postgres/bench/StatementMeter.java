package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * Counts all statements of this database, including BEGIN and COMMIT, from every sender. It uses
 * one connection, whose own statements are left out. If {@code pg_stat_statements} is not
 * available, it counts transactions instead. Used by one thread.
 */
public final class StatementMeter implements AutoCloseable {
  private static final String INSTALLED =
      "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE"
          + " e.extname = 'pg_stat_statements'";
  private static final String CREATE =
      "CREATE EXTENSION pg_stat_statements SCHEMA " + BenchSchema.NAME;
  private static final String TRANSACTIONS =
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";

  private final Connection connection;
  private final String statements;

  private StatementMeter(Connection connection) {
    this.connection = connection;
    this.statements = findStatements(connection);
  }

  public static StatementMeter open(DataSource direct) {
    try {
      return new StatementMeter(direct.getConnection());
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Returns the query that reads the statements; empty if they cannot be read. */
  private static String findStatements(Connection connection) {
    try {
      String schema = text(connection, INSTALLED);
      if (schema.isEmpty()) {
        BenchSql.execute(connection, CREATE);
        schema = BenchSchema.NAME;
      }
      String query = BenchSql.load("statement_calls").replace("statements_schema", schema);
      text(connection, query);
      return query;
    } catch (SQLException e) {
      return "";
    }
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? String.valueOf(rows.getString(1)) : "";
    }
  }

  /** Returns true if single statements are counted, false for transactions. */
  public boolean countsStatements() {
    return !statements.isEmpty();
  }

  /** Returns the executions of each statement so far; transactions are all under one name. */
  public Map<String, Long> read() {
    Map<String, Long> calls = new TreeMap<>();
    try (Statement statement = connection.createStatement()) {
      if (!countsStatements()) {
        try (ResultSet row = statement.executeQuery(TRANSACTIONS)) {
          row.next();
          calls.put("transactions", row.getLong(1));
        }
        return calls;
      }
      try (ResultSet rows = statement.executeQuery(statements)) {
        while (rows.next()) {
          calls.merge(rows.getString(1), rows.getLong(2), Long::sum);
        }
      }
      return calls;
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Returns the statements executed between two readings, the most frequent first. */
  public static Map<String, Long> between(Map<String, Long> before, Map<String, Long> after) {
    Map<String, Long> calls = new LinkedHashMap<>();
    after.entrySet().stream()
        .map(
            each ->
                Map.entry(each.getKey(), each.getValue() - before.getOrDefault(each.getKey(), 0L)))
        .filter(each -> each.getValue() > 0)
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(each -> calls.put(each.getKey(), each.getValue()));
    return calls;
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
