package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the migrations make, whole. */
@EverySetup
@WithDatabase
class SchemaIT {
  private final TestDatabase database;
  private final TestSql sql;

  SchemaIT(TestDatabase database) {
    this.database = database;
    this.sql = new TestSql(database.dataSource());
  }

  @Test
  @DisplayName("db/schema.sql is the schema that the migrations make, on every server version")
  void file() throws SQLException, IOException {
    String made = SchemaText.of(database.dataSource());
    if (Boolean.getBoolean("schema.write")) {
      Files.writeString(SchemaText.FILE, made);
    }
    assertThat(Files.readString(SchemaText.FILE))
        .as(
            "db/schema.sql is not what the migrations make; if they are right: "
                + SchemaText.REWRITE)
        .isEqualTo(made);
  }

  @Test
  @DisplayName("a publication of all tables refuses no change: each says which row is meant")
  void published() {
    assertThat(
            sql.column(
                """
                SELECT c.relname FROM pg_class c
                WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind = 'r' AND c.relreplident <> 'f'
                  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
                """))
        .isEmpty();
  }

  @Test
  @DisplayName("each repeatable migration can be run again, and changes nothing, not even a grant")
  void repeatable() throws SQLException, IOException {
    String before = SchemaText.of(database.dataSource());
    for (String file : MigrationFiles.REPEATABLE) {
      rerun(file);
      assertThat(SchemaText.of(database.dataSource())).as(file).isEqualTo(before);
    }
  }

  @Test
  @DisplayName("a new version runs all of them again, whatever the migration before dropped")
  void afterDrop() throws SQLException, IOException {
    String before = SchemaText.of(database.dataSource());
    sql.run("DROP VIEW holdfast.tickets CASCADE");
    sql.run("DROP FUNCTION holdfast.file_held_ticket CASCADE");
    sql.run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast TO PUBLIC");
    assertThat(SchemaText.of(database.dataSource())).isNotEqualTo(before);
    assertThat(asVersionBefore()).isEqualTo(MigrationFiles.REPEATABLE.size());

    assertThat(Migrations.migrate(database.dataSource()).applied())
        .isEqualTo(MigrationFiles.REPEATABLE.size());
    assertThat(SchemaText.of(database.dataSource())).isEqualTo(before);
  }

  /** The files' text has the version in it, so that their checksums were others. */
  private int asVersionBefore() {
    return sql.update(
        "UPDATE holdfast.flyway_schema_history SET checksum = checksum + 1 WHERE script LIKE 'R%'");
  }

  private void rerun(String file) throws SQLException, IOException {
    String text = Files.readString(Path.of("db/migrations").resolve(file));
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = holdfast");
      statement.execute(MigrationFiles.inSchema(text, "holdfast"));
    }
  }
}
