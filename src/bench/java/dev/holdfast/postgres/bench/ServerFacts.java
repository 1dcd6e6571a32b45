package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * The server that was measured.
 *
 * @param version for example "18.6"
 * @param settings the settings that decide figures, as {@code SHOW} prints them
 */
public record ServerFacts(String version, Map<String, String> settings) {
  private static final List<String> NAMES =
      List.of(
          "autovacuum",
          "checkpoint_timeout",
          "data_checksums",
          "fsync",
          "full_page_writes",
          "jit",
          "max_connections",
          "max_wal_size",
          "server_version",
          "shared_buffers",
          "synchronous_commit",
          "wal_compression",
          "wal_level",
          "work_mem");

  public static ServerFacts of(DataSource dataSource) {
    Map<String, String> settings = new TreeMap<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT name, current_setting(name, true) FROM unnest(?::text[]) AS name")) {
      statement.setArray(1, connection.createArrayOf("text", NAMES.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          settings.put(rows.getString(1), String.valueOf(rows.getString(2)));
        }
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
    String version = settings.remove("server_version");
    return new ServerFacts(version == null ? "unknown" : version, settings);
  }
}
