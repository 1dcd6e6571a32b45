package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Runs statements from files beside this class, in a few ways. */
final class BenchSql {
  private BenchSql() {}

  /**
   * Returns the statement in {@code name.sql}, which is written for the schema of the benchmark.
   */
  static String load(String name) {
    try (InputStream in = BenchSql.class.getResourceAsStream(name + ".sql")) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name + ".sql");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void execute(DataSource dataSource, String... statements) {
    try (Connection connection = dataSource.getConnection()) {
      execute(connection, statements);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** Runs a statement whose every parameter is one of the given whole numbers, in order. */
  static void update(DataSource dataSource, String sql, long... numbers) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < numbers.length; i++) {
        statement.setLong(i + 1, numbers[i]);
      }
      statement.execute();
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Runs a statement whose every parameter is a text. */
  static void insert(DataSource dataSource, String sql, String... texts) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < texts.length; i++) {
        statement.setString(i + 1, texts[i]);
      }
      statement.execute();
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Reads a row. */
  @FunctionalInterface
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Returns the first row. */
  static <T> T row(DataSource dataSource, String sql, RowReader<T> reader) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return reader.read(rows);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Returns the columns of the only row, as whole numbers. */
  static long[] numbers(DataSource dataSource, String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      long[] numbers = new long[rows.getMetaData().getColumnCount()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = rows.getLong(i + 1);
      }
      return numbers;
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }
}
