package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What SQL takes from whoever may write, a small worker can show to everybody. */
@WithDatabase
@EverySetup
class BoundedContentIT {
  /** {@code :id} is a held ticket. */
  private static final List<String> ATTACKS =
      List.of(
          "INSERT INTO holdfast.tickets (kind, state, result) VALUES ('a', 'done', :numbers)",
          "INSERT INTO holdfast.tickets (kind, retry_strategy) VALUES ('a', :numbers)",
          "INSERT INTO holdfast.tickets (kind, payload) VALUES ('a', :deep)",
          "INSERT INTO holdfast.tickets (kind, state, result) VALUES ('a', 'done', :deep)",
          "INSERT INTO holdfast.tickets (kind, title) VALUES ('a', :text)",
          "INSERT INTO holdfast.tickets (kind, state, error) VALUES ('a', 'on_hold', :text)",
          "INSERT INTO holdfast.tickets (kind, state, hold_reason) VALUES ('a', 'on_hold', :text)",
          "UPDATE holdfast.tickets SET result = :numbers",
          "UPDATE holdfast.tickets SET result = :deep",
          "UPDATE holdfast.tickets SET title = :text",
          "UPDATE holdfast.tickets SET error = :text",
          "SELECT holdfast.enqueue_ticket('a', title => :text)",
          "SELECT holdfast.enqueue_ticket('a', :deep)",
          "SELECT holdfast.enqueue_batch(jsonb_build_array(jsonb_build_object('kind', 'a',"
              + " 'payload', :numbers)), 'ann')",
          "SELECT holdfast.enqueue_batch('[{\"kind\": \"a\"}]', 'ann', :text)",
          "SELECT holdfast.enqueue_tickets(jsonb_build_array(jsonb_build_object('name', 'a',"
              + " 'kind', 'a', 'payload', :deep)))",
          "SELECT holdfast.release_ticket(:id, 'ann', :text)",
          "SELECT holdfast.release_ticket(:id, :text)",
          "SELECT holdfast.cancel_ticket(:id, 'ann', :text)",
          "SELECT holdfast.hold_ticket(:id, 'ann', :text)",
          "SELECT holdfast.reject_ticket(:id, 'ann', :text)",
          "SELECT holdfast.edit_payload(:id, 'ann', :numbers)",
          "SELECT holdfast.decide_tool_call(:id, 'ann', 'approve', arguments => :numbers)",
          "SELECT holdfast.decide_tool_call(:id, 'ann', 'deny', words => :text)",
          "SELECT holdfast.assign_ticket(:id, :text, 'ann')",
          "SELECT holdfast.start_release('ann', 1, guidance => :text, ids => ARRAY[:id])",
          "SELECT holdfast.put_schedule('a', 'ann', every => '1 h', kind => 'a', payload =>"
              + " :numbers)",
          "SELECT holdfast.put_schedule('a', 'ann', every => '1 h', kind => 'a', title => :text)",
          "INSERT INTO holdfast.designs (name, version, kind, definition, created_by) VALUES ('a',"
              + " 1, 'command', jsonb_build_object('a', :numbers), 'ann')",
          "INSERT INTO holdfast.designs (name, version, kind, definition, created_by) VALUES ('a',"
              + " 1, 'command', jsonb_build_object('retry', :numbers), 'ann')",
          "UPDATE holdfast.queues SET retry = :numbers");

  private final TicketDatabase database;

  BoundedContentIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
  }

  @Test
  @DisplayName(
      "20.1: no function and no view takes what would be too long for whoever looks at it: many"
          + " digits, many levels, long texts")
  void boundedWhereItEnters() {
    long id = database.enqueue("a");
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'why')", id);
    Map<String, String> answers = new LinkedHashMap<>();
    for (String statement : ATTACKS) {
      answers.put(statement, answer(attack(statement, id)));
    }
    assertThat(answers).allSatisfy((statement, answer) -> assertThat(answer).isEqualTo("HF422"));
    assertThat(database.state(id)).isEqualTo("on_hold");
    assertThat(new PostgresTicketReader(database.dataSource()).find(id)).isPresent();
    assertThat(database.number("SELECT count(*) FROM holdfast.ticket_base")).isEqualTo(1);
  }

  private static String attack(String statement, long id) {
    return statement
        .replace(":id", Long.toString(id))
        .replace(":numbers", "('{\"a\": [' || repeat('1e131071,', 9999) || '1]}')::jsonb")
        .replace(":deep", "(repeat('[', 600) || repeat(']', 600))::jsonb")
        .replace(":text", "repeat('a', 1000001)");
  }

  /** The SQLSTATE. */
  private String answer(String statement) {
    try {
      database.run(statement);
      return "accepted";
    } catch (AssertionError e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof SQLException sql) {
          return String.valueOf(sql.getSQLState());
        }
      }
      throw e;
    }
  }
}
