package dev.holdfast.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Plain SQL as a person types it, each statement in a transaction of its own. */
public record TestSql(DataSource dataSource) {

  /** The first column of the only row, as text. */
  public @Nullable String value(String sql, @Nullable Object... arguments) {
    List<String> rows = column(sql, arguments);
    if (rows.size() != 1) {
      throw new AssertionError(rows.size() + " rows from " + sql);
    }
    return rows.getFirst();
  }

  public long number(String sql, @Nullable Object... arguments) {
    return Long.parseLong(String.valueOf(value(sql, arguments)));
  }

  /** The first column of every row, as text. */
  public List<String> column(String sql, @Nullable Object... arguments) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      return column(statement, arguments);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  public static List<String> column(
      Connection connection, String sql, @Nullable Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      return column(statement, arguments);
    }
  }

  private static List<String> column(PreparedStatement statement, @Nullable Object... arguments)
      throws SQLException {
    for (int i = 0; i < arguments.length; i++) {
      statement.setObject(i + 1, arguments[i]);
    }
    List<String> values = new ArrayList<>();
    if (statement.execute()) {
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          values.add(rows.getString(1));
        }
      }
    } else {
      values.add(String.valueOf(statement.getUpdateCount()));
    }
    return values;
  }

  /** How many rows a statement changed. */
  public int update(String sql, @Nullable Object... arguments) {
    return Integer.parseInt(String.valueOf(value(sql, arguments)));
  }

  /** Runs a statement that answers nothing of interest. */
  public void run(String sql, @Nullable Object... arguments) {
    column(sql, arguments);
  }

  /**
   * What the server says to a statement that it must refuse.
   *
   * @param message its hint included
   */
  public record Refusal(String sqlState, String message) {}

  public Refusal refusal(String sql, @Nullable Object... arguments) {
    try (Connection connection = dataSource.getConnection()) {
      column(connection, sql, arguments);
    } catch (SQLException e) {
      return new Refusal(e.getSQLState(), SqlErrors.serverMessage(e));
    }
    throw new AssertionError("was not refused: " + sql);
  }
}
