package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class CommentsIT {
  private final TestSql sql;

  CommentsIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
  }

  @Test
  @DisplayName("every table, view and sequence explains itself in psql")
  void relations() {
    assertThat(
            sql.column(
                """
                SELECT c.relname FROM pg_class c
                WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relname <> 'flyway_schema_history'
                  AND (c.relkind IN ('r', 'v', 'p') OR c.relname = 'lease_no_seq')
                  AND obj_description(c.oid, 'pg_class') IS NULL
                """))
        .isEmpty();
  }

  @Test
  @DisplayName("every function explains itself in psql")
  void functions() {
    assertThat(
            sql.column(
                """
                SELECT p.proname FROM pg_proc p
                WHERE p.pronamespace = 'holdfast'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL
                """))
        .isEmpty();
  }

  @Test
  @DisplayName("every column of tickets explains itself in psql")
  void columnsOfTickets() {
    assertThat(
            sql.column(
                """
                SELECT a.attname FROM pg_attribute a
                WHERE a.attrelid = 'holdfast.tickets'::regclass AND a.attnum > 0
                  AND col_description(a.attrelid, a.attnum) IS NULL
                """))
        .isEmpty();
  }

  @Test
  @DisplayName("22.1: no comment and no function of the schema speaks in ids of our own documents")
  void inPlainWords() {
    assertThat(
            sql.column(
                """
                SELECT DISTINCT said FROM (
                  SELECT c.oid, obj_description(c.oid, 'pg_class') FROM pg_class c
                  WHERE c.relnamespace = 'holdfast'::regnamespace
                  UNION ALL
                  SELECT a.attrelid, col_description(a.attrelid, a.attnum) FROM pg_attribute a
                  WHERE a.attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace)
                  UNION ALL
                  SELECT p.oid, obj_description(p.oid, 'pg_proc') FROM pg_proc p
                  WHERE p.pronamespace = 'holdfast'::regnamespace
                  UNION ALL
                  SELECT p.oid, p.prosrc FROM pg_proc p WHERE p.pronamespace = 'holdfast'::regnamespace
                ) all_of_it (id, said)
                WHERE said ~ '\\m[A-Z]-?[0-9]{1,3}\\M' OR said ~* '\\missue [0-9]'
                """))
        .isEmpty();
  }
}
