package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The migrations that made a schema: Flyway's table, read without Flyway, which takes most of a
 * second to start. Immutable.
 *
 * @param version the newest versioned migration; 0 where the schema is missing
 * @param checksums the checksum of the last run of each migration, by file name
 * @param failed whether the table has a failed one
 */
record SchemaHistory(int version, Map<String, Integer> checksums, boolean failed) {
  /** The first of the 26 migrations that were joined into a new set before release 0.1. */
  private static final String BEFORE_RELEASE = "V1__create_tables.sql";

  private static final String THERE =
      "SELECT to_regclass('holdfast.flyway_schema_history') IS NOT NULL";
  private static final String RUNS =
      "SELECT version, script, checksum, success FROM holdfast.flyway_schema_history ORDER BY"
          + " installed_rank";

  SchemaHistory {
    checksums = Map.copyOf(checksums);
  }

  /**
   * @throws HoldfastException if a development build before 0.1 made the schema
   */
  static SchemaHistory read(DataSource dataSource, Sql sql) {
    try (Connection connection = dataSource.getConnection()) {
      return read(connection, sql);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Reads like {@link #read(DataSource, Sql)}, on the caller's connection. */
  static SchemaHistory read(Connection connection, Sql sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet there = statement.executeQuery(sql.inSchema(THERE))) {
        if (!there.next() || !there.getBoolean(1)) {
          return new SchemaHistory(0, Map.of(), false);
        }
      }
      try (ResultSet runs = statement.executeQuery(sql.inSchema(RUNS))) {
        return read(runs, sql.schema());
      }
    }
  }

  private static SchemaHistory read(ResultSet runs, String schema) throws SQLException {
    int version = 0;
    boolean failed = false;
    Map<String, Integer> checksums = new HashMap<>();
    while (runs.next()) {
      String script = runs.getString("script");
      if (BEFORE_RELEASE.equals(script)) {
        throw madeBeforeRelease(schema);
      }
      if (runs.getBoolean("success")) {
        version = Math.max(version, runs.getInt("version"));
        checksums.put(script, runs.getInt("checksum"));
      } else {
        failed = true;
      }
    }
    return new SchemaHistory(version, checksums, failed);
  }

  private static HoldfastException madeBeforeRelease(String schema) {
    return new HoldfastException(
        ("a development build before Holdfast 0.1 made the schema %s, and no migration"
                + " leads on from it; keep it under another name (ALTER SCHEMA %s RENAME TO"
                + " %s_old), then run: holdfast migrate; to take its tickets over, run: holdfast"
                + " migrate --from %s_old.tickets (docs/deployment.md, From a development build)")
            .formatted(schema, schema, schema, schema));
  }

  /** Returns whether Flyway would find nothing to run and nothing to complain about. */
  boolean isComplete(Map<String, Integer> versioned, Map<String, Integer> repeatable) {
    return version == Migrations.NEWEST
        && !failed
        && lacks(versioned).isEmpty()
        && lacks(repeatable).isEmpty();
  }

  /**
   * Returns how many of the program's migrations are to be run; the repeatable ones run with each
   * version.
   */
  int pending(Map<String, Integer> repeatable) {
    int versions = Migrations.NEWEST - version;
    return versions > 0 ? versions + repeatable.size() : lacks(repeatable).size();
  }

  /**
   * Returns those of the program's migrations that the schema does not have, or has in another
   * form.
   */
  List<String> lacks(Map<String, Integer> files) {
    return files.entrySet().stream()
        .filter(each -> !each.getValue().equals(checksums.get(each.getKey())))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}
