package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * The schema {@value #NAME}, where a benchmark works beside whatever else the database holds. An
 * advisory lock allows only one benchmark per database at a time, so a schema with this name is
 * either ours or was left behind. Thread-safe; closing twice does nothing.
 */
public final class BenchSchema implements AutoCloseable {
  public static final String NAME = "holdfast_bench";

  /** The application name of every connection of a benchmark. */
  public static final String APPLICATION = "holdfast-bench";

  private static final String LOCK =
      "SELECT pg_try_advisory_lock(hashtextextended('" + NAME + "', 0))";
  private static final String UNLOCK =
      "SELECT pg_advisory_unlock(hashtextextended('" + NAME + "', 0))";
  private static final String EXISTS = "SELECT to_regnamespace('" + NAME + "') IS NOT NULL";
  private static final String DROP = "DROP SCHEMA IF EXISTS " + NAME + " CASCADE";

  /** Ends the other sessions: workers that were cut short would keep the tables locked. */
  private static final String END_OTHERS =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '"
          + APPLICATION
          + "%' AND datname = current_database() AND pid <> pg_backend_pid()";

  private static final int TRIES = 5;

  private final Connection guard;
  private final boolean foundLeftover;
  private boolean closed;

  private BenchSchema(Connection guard, boolean foundLeftover) {
    this.guard = guard;
    this.foundLeftover = foundLeftover;
  }

  /**
   * Drops an old schema and makes a new one, with Holdfast's tables and the probes'.
   *
   * @param database the server itself; its connections are named {@link #APPLICATION}
   * @throws HoldfastException if another benchmark runs there, or the user may not make a schema
   */
  public static BenchSchema create(Database database) {
    BenchSchema schema = claim(database.unpooled());
    try {
      // Otherwise a user called holdfast would see the schema of that name as well, and the
      // migrations with it.
      Migrations.migrate(database.searching(NAME).unpooled(), NAME);
      BenchSql.execute(database.unpooled(), BenchSql.load("probe_tables"));
      return schema;
    } catch (RuntimeException e) {
      schema.close();
      throw e;
    }
  }

  private static BenchSchema claim(DataSource direct) {
    try {
      Connection guard = direct.getConnection();
      if (!isTrue(guard, LOCK)) {
        guard.close();
        throw new HoldfastException(
            "another holdfast bench runs on this database; wait until it ends, or use another"
                + " database");
      }
      boolean leftover = isTrue(guard, EXISTS);
      BenchSql.execute(guard, DROP);
      return new BenchSchema(guard, leftover);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private static boolean isTrue(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() && row.getBoolean(1);
    }
  }

  /** Returns true if an earlier benchmark had left its schema behind. It is gone now. */
  public boolean foundLeftover() {
    return foundLeftover;
  }

  /** Ends the benchmark's other sessions and drops the schema. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (guard) {
      drop();
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /**
   * Drops the schema, if necessary once more: the threads of a benchmark that is cut short run on,
   * and may be in the way.
   */
  private void drop() throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        // The lock is given up here, because the server ends a closed session only a little later.
        BenchSql.execute(guard, END_OTHERS, DROP, UNLOCK);
        return;
      } catch (SQLException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }
}
