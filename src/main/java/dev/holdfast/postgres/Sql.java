package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

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

  /** The statement in {@code name.sql}, which is written for the schema {@code holdfast}. */
  public String load(String name) {
    return inSchema(read(name));
  }

  /** The same, kept to its indexes; run it through {@link PinnedPlan#on}. */
  public String loadPinned(String name) {
    return PinnedPlan.pin(load(name));
  }

  /** A short statement written for the schema {@code holdfast}. */
  public String inSchema(String statement) {
    return schema.equals(DEFAULT_SCHEMA)
        ? statement
        : statement.replace(DEFAULT_SCHEMA + ".", schema + ".");
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
