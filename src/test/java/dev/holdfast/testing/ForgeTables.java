package dev.holdfast.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;

/** The tables of the first source in a schema of their own. */
public final class ForgeTables {
  private ForgeTables() {}

  /**
   * @param rows statements that fill them
   */
  public static void create(DataSource dataSource, String schema, String rows) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
      statement.execute("SET search_path = " + schema);
      statement.execute(ddl());
      statement.execute(rows);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static String ddl() {
    try (InputStream in =
        Objects.requireNonNull(
            ForgeTables.class.getResourceAsStream("/dev/holdfast/forge_tickets.sql"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
