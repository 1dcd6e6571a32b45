package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules of {@code ticket_base}, below every view and function: whoever writes there by hand.
 */
@WithDatabase
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
    long id = sql.number("INSERT INTO holdfast.ticket_base (kind) VALUES ('rules') RETURNING id");

    TestSql.Refusal insert =
        sql.refusal(
            "INSERT INTO holdfast.ticket_base (kind, %s) VALUES ('bad', '%s')"
                .formatted(column, value));
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
            "INSERT INTO holdfast.ticket_base (kind, retry_count) SELECT 'many', CASE n WHEN 77"
                + " THEN -1 ELSE 0 END FROM generate_series(1, 100) n");

    assertThat(refusal.message()).contains("retry_count_is_a_count");
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'many'")).isZero();
  }

  @Test
  @DisplayName("A42: one statement may file ready, deferred, held and finished tickets")
  void mixed() {
    sql.run(
        """
        INSERT INTO holdfast.ticket_base (kind, state, held_at, retry_after, assignee_type) VALUES
          ('mixed', 'ready', NULL, NULL, 'agent'), ('mixed', 'ready', NULL, now() + interval '1 hour', 'agent'),
          ('mixed', 'on_hold', now(), NULL, 'agent'), ('mixed', 'done', NULL, NULL, 'agent'),
          ('mixed', 'ready', NULL, NULL, 'human')
        """);

    assertThat(count("ready")).isOne();
    assertThat(count("deferred")).isOne();
    assertThat(count("held")).isOne();
  }

  private long count(String table) {
    return sql.number("SELECT count(*) FROM holdfast." + table + " WHERE kind = 'mixed'");
  }
}
