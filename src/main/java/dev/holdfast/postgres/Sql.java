package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The statements, each a file beside this class, for one schema. Immutable. */
public final class Sql {
  private static final String DEFAULT_SCHEMA = "holdfast";

  private final String schema;

  public Sql(String schema) {
    if (!schema.matches("[a-z_][a-z0-9_]{0,49}")) {
      throw new IllegalArgumentException("\"" + schema + "\" is not a plain schema name");
    }
    this.schema = schema;
  }

  public String schema() {
    return schema;
  }

  /**
   * Returns the statement in {@code name.sql}, which is written for the schema {@code holdfast}.
   */
  public String load(String name) {
    return inSchema(read(name));
  }

  /** Returns the same, held to its indexes; run it through {@link PinnedPlan#on}. */
  public String loadPinned(String name) {
    return PinnedPlan.pin(load(name));
  }

  /** Returns a short statement that is written for the schema {@code holdfast}. */
  public String inSchema(String statement) {
    return schema.equals(DEFAULT_SCHEMA)
        ? statement
        : statement.replace(DEFAULT_SCHEMA + ".", schema + ".");
  }

  /** Returns the one whole number that a short statement gives. */
  public long number(Connection connection, String statement, @Nullable Object... arguments)
      throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(inSchema(statement))) {
      for (int i = 0; i < arguments.length; i++) {
        query.setObject(i + 1, arguments[i]);
      }
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static String read(String name) {
    try (InputStream in = Sql.class.getResourceAsStream(name + ".sql")) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name + ".sql");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
