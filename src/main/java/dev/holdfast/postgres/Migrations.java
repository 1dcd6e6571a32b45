package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.exception.FlywayValidateException;

/** Brings the schema to this version of Holdfast, and checks whether it is there. */
public final class Migrations {
  /** The newest versioned migration in the jar; a test compares it with the files. */
  public static final int NEWEST = 21;

  /** The place in the jar. An application has its own at db/migrations, on the same class path. */
  static final String LOCATION = "dev/holdfast/db-migrations";

  private static final int OLDEST_SERVER = 15;
  private static final String NO_IDLE_TIMEOUT =
      "options=-c%20idle_in_transaction_session_timeout=0 at the end of HOLDFAST_DATABASE_URL";

  static final String DEFAULT_SCHEMA = "holdfast";

  /**
   * The result of a migration.
   *
   * @param applied how many migrations were run; 0 if the schema was up to date
   * @param version the schema's version now
   */
  public record Result(int applied, String version) {}

  /** Watches a migration while it runs, on its thread. */
  @FunctionalInterface
  public interface Watcher {
    Watcher NONE = of -> {};

    /** Notes that one more file was run, of so many. */
    void ran(int of);
  }

  private Migrations() {}

  /**
   * Migrates the schema {@code holdfast}; harmless when repeated, safe when several do it at once.
   */
  public static Result migrate(DataSource dataSource) {
    return migrate(dataSource, DEFAULT_SCHEMA);
  }

  /**
   * Runs what the schema lacks: versioned migrations once, repeatable ones (functions, views,
   * triggers, grants) after each new version and whenever their file changed. If it lacks nothing,
   * Flyway is left out, which takes most of a second to start.
   *
   * @throws HoldfastException if the server is too old, the schema newer than this version or made
   *     by a development build before 0.1, a migration fails, or Jackson is too old
   */
  public static Result migrate(DataSource dataSource, String schema) {
    return migrate(dataSource, schema, Watcher.NONE);
  }

  /** Migrates like {@link #migrate(DataSource, String)}, and reports to a watcher. */
  public static Result migrate(DataSource dataSource, String schema, Watcher watcher) {
    requireJackson();
    Sql sql = new Sql(schema);
    SchemaHistory history = history(dataSource, sql);
    requireNotNewer(history.version());
    Map<String, Integer> repeatable = MigrationFiles.checksums(schema);
    if (history.isComplete(MigrationFiles.versionedChecksums(), repeatable)) {
      return new Result(0, String.valueOf(NEWEST));
    }
    int pending = history.pending(repeatable);
    // With two connections Flyway would commit a file on one and its line in the history on the
    // other: a file whose line was lost between these would fail ever after.
    try (SingleConnection one = new SingleConnection(dataSource)) {
      int applied = new PatientMigration(configuration(one, schema), pending, watcher).run();
      int version = version(one, sql);
      requireMigrated(version, schema);
      return new Result(applied, String.valueOf(version));
    } catch (FlywayException e) {
      throw failed(e);
    }
  }

  /**
   * Checks Jackson. If it is too old, Flyway would fail with a message of its own; a worker could
   * start and then store no failure.
   *
   * @throws HoldfastException if Jackson, or a part of it, is too old
   */
  public static void requireJackson() {
    try {
      Json.write("");
    } catch (LinkageError e) {
      throw new HoldfastException(
          "com.fasterxml.jackson.core:jackson-annotations is too old, or Jackson 3 is not the one"
              + " of Holdfast's POM: take 2.21 of the annotations or newer (docs/embedding.md): "
              + e,
          e);
    }
  }

  /**
   * Checks quickly before work starts: one statement, no Flyway.
   *
   * @throws HoldfastException if the schema is missing, older or newer than this version needs, has
   *     the functions of another build, or was made by a development build before 0.1; the message
   *     names the next step
   */
  public static void requireCurrent(DataSource dataSource, String schema) {
    SchemaHistory history = history(dataSource, new Sql(schema));
    int version = history.version();
    if (version < NEWEST) {
      throw new HoldfastException(
          version == 0
              ? "the database has no schema " + schema + " yet; run: holdfast migrate"
              : "the schema %s is at version %s, this Holdfast needs %s; run: holdfast migrate"
                  .formatted(schema, version, NEWEST));
    }
    requireNotNewer(version);
    List<String> lacking = history.lacks(MigrationFiles.checksums(schema));
    if (!lacking.isEmpty()) {
      throw new HoldfastException(
          ("the schema %s is at version %s, but another build of Holdfast wrote its"
                  + " functions (%s); run: holdfast migrate")
              .formatted(schema, version, String.join(", ", lacking)));
    }
  }

  /**
   * Refuses the schema of a development build; does nothing for any other schema, missing, old or
   * new.
   *
   * @throws HoldfastException if a development build before 0.1 made the schema; the message names
   *     the way out
   */
  public static void refuseDevelopmentBuild(DataSource dataSource, String schema) {
    SchemaHistory.read(dataSource, new Sql(schema));
  }

  /** Returns the newest applied versioned migration; 0 if the schema is missing. */
  public static int version(DataSource dataSource, Sql sql) {
    return SchemaHistory.read(dataSource, sql).version();
  }

  private static void requireNotNewer(int version) {
    if (version > NEWEST) {
      throw new HoldfastException(
          ("the schema is at version %s, newer than this Holdfast knows (%s); install a"
                  + " newer Holdfast")
              .formatted(version, NEWEST));
    }
  }

  private static void requireMigrated(int version, String schema) {
    if (version < NEWEST) {
      throw new HoldfastException(
          ("the schema %s is at version %s although all migrations of the jar were run; this"
                  + " Holdfast needs %s: %s in the jar is not complete")
              .formatted(schema, version, NEWEST, LOCATION));
    }
  }

  /**
   * Returns the history if the server is new enough and shows its rows. It uses one connection for
   * all, because each worker's start waits for it.
   */
  private static SchemaHistory history(DataSource dataSource, Sql sql) {
    try (Connection connection = dataSource.getConnection()) {
      requireServer(connection.getMetaData().getDatabaseMajorVersion());
      RowSecurity.requireNone(connection, sql);
      return SchemaHistory.read(connection, sql);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  static void requireServer(int majorVersion) {
    if (majorVersion < OLDEST_SERVER) {
      throw new HoldfastException(
          ("PostgreSQL %s is too old; Holdfast needs %s or newer: upgrade the server, or"
                  + " set HOLDFAST_DATABASE_URL to another")
              .formatted(majorVersion, OLDEST_SERVER));
    }
  }

  private static FluentConfiguration configuration(DataSource dataSource, String schema) {
    // The thread's own class loader may not know this jar: Flyway would find nothing to do.
    return Flyway.configure(Migrations.class.getClassLoader())
        .dataSource(dataSource)
        // This is no constant of both: a tool that renames packages in a jar of all renames what
        // begins with one.
        .locations("classpath:".concat(LOCATION))
        .schemas(schema)
        .defaultSchema(schema)
        .createSchemas(true)
        .placeholders(Map.of(MigrationFiles.VERSION, String.valueOf(NEWEST)))
        // A schema with a legacy `tickets` table in it has no history yet.
        .baselineOnMigrate(true)
        .baselineVersion("0");
  }

  /**
   * Makes the exception. Flyway's first line names the script; the database's own words are below
   * it.
   */
  private static HoldfastException failed(FlywayException e) {
    Optional<SQLException> sql = SqlErrors.within(e);
    if (sql.isPresent()) {
      return new HoldfastException(
          "the migration failed: "
              + line(e, 0)
              + ": "
              + SqlErrors.serverMessage(sql.get())
              + "; "
              + wayOut(String.valueOf(sql.get().getSQLState())),
          e);
    }
    if (e instanceof FlywayValidateException) {
      return new HoldfastException(
          "the migration failed: "
              + line(e, 1).replaceFirst("\\.$", "")
              + "; flyway_schema_history is not as this Holdfast wrote it: restore the schema from"
              + " a backup, or take the Holdfast that wrote it",
          e);
    }
    return new HoldfastException("the migration failed: " + line(e, 0), e);
  }

  private static String wayOut(String state) {
    return switch (state) {
      case "42501" -> "run holdfast migrate as a user who owns the schema (docs/security.md)";
      // A file's transaction is idle while Flyway prepares its next statement.
      case "25P03" -> "run holdfast migrate with " + NO_IDLE_TIMEOUT;
      // If a connection was ended, by that timeout or another cause, later uses of it say no more.
      case "08003" ->
          "run holdfast migrate again; if the server ends what is idle in a transaction, with "
              + NO_IDLE_TIMEOUT;
      default -> "remove this cause and run: holdfast migrate";
    };
  }

  /**
   * Returns a line of the message. After a failed validation the first line says that it failed,
   * the second one why.
   */
  private static String line(Exception e, int index) {
    List<String> lines = String.valueOf(e.getMessage()).strip().lines().toList();
    return lines.get(Math.min(index, lines.size() - 1));
  }
}
