package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TimeZone;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@WithDatabase
class TestDatabaseIT {
  private final TestDatabase database;

  TestDatabaseIT(TestDatabase database) {
    this.database = database;
  }

  @Test
  @DisplayName("the database is migrated")
  void migrated() throws SQLException {
    assertThat(query("SELECT to_regclass('holdfast.tickets') IS NOT NULL")).isEqualTo("t");
  }

  @Test
  @DisplayName("the server is the version that was asked for")
  void version() throws SQLException {
    boolean oldest = System.getProperty("test.postgres.binaries") != null;
    if (System.getProperty("test.database", "embedded").equals("embedded")) {
      assertThat(database.serverMajorVersion()).isEqualTo(oldest ? 15 : 18);
    }
    assertThat(query("SHOW server_version")).startsWith(database.serverMajorVersion() + ".");
  }

  @Test
  @DisplayName("sessions speak in a time zone that is neither UTC nor the JVM's")
  void timeZone() throws SQLException {
    String zone = query("SHOW TimeZone");
    assertThat(zone).isEqualTo("Asia/Tokyo").isNotEqualTo(TimeZone.getDefault().getID());
  }

  @Nested
  class Inside {
    @Test
    @DisplayName("a nested class shares the database of the class around it")
    void shared(TestDatabase inner) {
      assertThat(inner).isSameAs(database);
    }
  }

  private String query(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }
}
