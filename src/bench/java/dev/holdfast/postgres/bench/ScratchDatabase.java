package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A database of its own for a program that cannot be given another schema; it is dropped when this
 * is closed.
 */
public final class ScratchDatabase implements AutoCloseable {
  private static final String NAME = "holdfast_bench_scratch";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final Database server;
  private final Database database;

  private ScratchDatabase(Database server) {
    this.server = server;
    this.database = server.named(NAME);
  }

  /**
   * Makes it, with Holdfast's schema.
   *
   * @param server any database of the server
   * @return empty if the user may not create databases
   */
  public static Optional<ScratchDatabase> create(Database server) {
    try (Connection connection = server.unpooled().getConnection()) {
      BenchSql.execute(
          connection,
          "DROP DATABASE IF EXISTS " + NAME + " WITH (FORCE)",
          "CREATE DATABASE " + NAME);
    } catch (SQLException e) {
      if (INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        return Optional.empty();
      }
      throw SqlErrors.translate(e);
    }
    ScratchDatabase scratch = new ScratchDatabase(server);
    Migrations.migrate(scratch.database.unpooled());
    return Optional.of(scratch);
  }

  public Database database() {
    return database;
  }

  @Override
  public void close() {
    BenchSql.execute(server.unpooled(), "DROP DATABASE IF EXISTS " + NAME + " WITH (FORCE)");
  }
}
