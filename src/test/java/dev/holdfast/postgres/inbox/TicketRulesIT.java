package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules of {@code ticket_base}, below every view and function: whoever writes there by hand.
 */
@WithDatabase
@EverySetup
class TicketRulesIT {
  private final TestSql sql;

  TicketRulesIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "state            | to_be        | known_state",
        "state            | on_hold      | held_tickets_say_why",
        "held_at          | now          | held_tickets_say_why",
        "assignee_type    | robot        | known_assignee_type",
        "retry_count      | -1           | retry_count_is_a_count",
        "max_cost_usd     | -0.01        | max_cost_is_an_amount",
        "max_cost_usd     | NaN          | max_cost_is_an_amount",
        "max_cost_usd     | 1000000000.1 | max_cost_is_an_amount",
      })
  @DisplayName("A3: a row that breaks a rule is refused by its name, new or changed")
  void broken(String column, String value, String rule) {
    long id = sql.number("SELECT holdfast.enqueue_ticket('rules')");

    TestSql.Refusal insert =
        sql.refusal(filing("kind, " + column, "VALUES (true, 'bad', '%s')".formatted(value)));
    TestSql.Refusal update =
        sql.refusal(
            "UPDATE holdfast.ticket_base SET %s = '%s' WHERE id = %s"
                .formatted(column, value, "" + id));

    assertThat(insert.sqlState()).isEqualTo("23514");
    assertThat(insert.message()).contains(rule);
    assertThat(update.sqlState()).isEqualTo("23514");
    assertThat(update.message()).contains(rule);
    assertThat(sql.number("SELECT count(*) FROM holdfast.ticket_base WHERE kind = 'bad'")).isZero();
  }

  @Test
  @DisplayName("A3: one bad row among many of a statement refuses them all")
  void amongMany() {
    TestSql.Refusal refusal =
        sql.refusal(
            filing(
                "kind, retry_count",
                "SELECT true, 'many', CASE n WHEN 77 THEN -1 ELSE 0 END"
                    + " FROM generate_series(1, 100) n"));

    assertThat(refusal.message()).contains("retry_count_is_a_count");
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'many'")).isZero();
  }

  @Test
  @DisplayName(
      "A42: a row of ticket_base that nobody files is refused, in words that say what to do")
  void unfiled() {
    TestSql.Refusal refusal =
        sql.refusal("INSERT INTO holdfast.ticket_base (kind) VALUES ('unfiled')");

    assertThat(refusal.sqlState()).isEqualTo("HF409");
    assertThat(refusal.message())
        .contains("must say that it is filed", "INSERT INTO holdfast.tickets");
    assertThat(sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'unfiled'")).isZero();
  }

  @Test
  @DisplayName("a version of a design stays: tickets refer to it")
  void designsStay() {
    sql.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('stays', 1,"
            + " 'command', '{}')");

    for (String change :
        List.of(
            "DELETE FROM holdfast.designs WHERE name = 'stays'",
            "UPDATE holdfast.designs SET id = DEFAULT WHERE name = 'stays'",
            "TRUNCATE holdfast.designs")) {
      assertThat(sql.refusal(change).message()).contains("versions of designs are kept");
    }
    assertThat(sql.number("SELECT count(*) FROM holdfast.designs WHERE name = 'stays'")).isOne();
  }

  @Test
  @DisplayName("A42: one statement may file ready, deferred, held and finished tickets")
  void mixed() {
    sql.run(
        filing(
            "kind, state, held_at, retry_after, assignee_type",
            """
            VALUES
              (true, 'mixed', 'ready', NULL, NULL, 'agent'),
              (true, 'mixed', 'ready', NULL, now() + interval '1 hour', 'agent'),
              (true, 'mixed', 'on_hold', now(), NULL, 'agent'), (true, 'mixed', 'done', NULL, NULL, 'agent'),
              (true, 'mixed', 'ready', NULL, NULL, 'human')
            """));

    assertThat(count("ready")).isOne();
    assertThat(count("deferred")).isOne();
    assertThat(count("held")).isOne();
  }

  /** Inserts rows that say they are filed, and files them. */
  private static String filing(String columns, String rows) {
    return """
    WITH added AS (INSERT INTO holdfast.ticket_base (filed, %s) %s RETURNING id),
    ids AS MATERIALIZED (SELECT array_agg(id) AS ids FROM added)
    SELECT holdfast.file_tickets(ids) FROM ids
    """
        .formatted(columns, rows);
  }

  private long count(String table) {
    return sql.number("SELECT count(*) FROM holdfast." + table + " WHERE kind = 'mixed'");
  }
}
