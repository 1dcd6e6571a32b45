package dev.holdfast.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

@WithDatabase
@EverySetup
class TicketsViewIT {
  private final TestSql sql;
  private final TestTickets tickets;

  TicketsViewIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
    this.tickets = new TestTickets(database.dataSource());
  }

  @Test
  @DisplayName("A38: a plain INSERT enqueues; RETURNING shows what is there")
  void insert() {
    String row =
        sql.value(
            """
            INSERT INTO holdfast.tickets (kind, payload, priority) VALUES ('insert', '{"n": 1}', 3)
            RETURNING concat_ws(' ', id, queue, state, assignee_type, retry_count, lease_no, payload)
            """);
    String stored =
        sql.value(
            """
            SELECT concat_ws(' ', id, queue, state, assignee_type, retry_count, lease_no, payload)
            FROM holdfast.tickets WHERE kind = 'insert'
            """);
    assertThat(row).isEqualTo(stored).endsWith(" default ready agent 0 0 {\"n\": 1}");
    assertThat(sql.number("SELECT priority FROM holdfast.ready WHERE kind = 'insert'"))
        .isEqualTo(3);
  }

  @Test
  @DisplayName("22.5: tickets say their design and its version; an INSERT may name it")
  void design() {
    sql.run(
        """
        INSERT INTO holdfast.designs (name, version, kind, definition)
        VALUES ('named', 1, 'command', '{}'), ('named', 2, 'command', '{}')
        """);
    assertThat(
            sql.column(
                """
                INSERT INTO holdfast.tickets (design, design_version) VALUES ('named', NULL), ('named', 1)
                RETURNING concat_ws(' ', design, design_version, kind)
                """))
        .containsExactly("named 2 command", "named 1 command");
    assertThat(
            sql.column(
                "SELECT concat_ws(' ', design, design_version) FROM holdfast.tickets WHERE design ="
                    + " 'named' ORDER BY id"))
        .containsExactly("named 2", "named 1");
    for (String bad : List.of("('', NULL)", "('nmaed', NULL)", "('named', 3)", "('named', -1)")) {
      assertThatThrownBy(
              () -> sql.run("INSERT INTO holdfast.tickets (design, design_version) VALUES " + bad))
          .as(bad)
          .hasStackTraceContaining("there is no design");
    }
    assertThatThrownBy(() -> sql.run("UPDATE holdfast.tickets SET design = 'x' WHERE id > 0"))
        .hasStackTraceContaining("design of a ticket cannot be set by hand");
  }

  @Test
  @DisplayName("an UPDATE of design or kind is refused where an INSERT would be")
  void otherDesign() {
    sql.run(
        """
        INSERT INTO holdfast.designs (name, version, kind, definition)
        VALUES ('shell', 1, 'command', '{}'), ('shell', 2, 'command', '{}'), ('model', 1, 'agent', '{}')
        """);
    long id =
        sql.number(
            "INSERT INTO holdfast.tickets (design, design_version) VALUES ('shell', 1) RETURNING"
                + " id");
    String set = "UPDATE holdfast.tickets SET %s WHERE id = " + id;
    TestSql.Refusal gone = sql.refusal(set.formatted("design_id = 4711"));
    assertThat(gone.sqlState()).isEqualTo("HF404");
    assertThat(gone.message()).contains("there is no design with the id 4711");
    String model = "design_id = (SELECT id FROM holdfast.designs WHERE name = 'model')";
    for (String other : List.of("kind = 'agent'", model)) {
      TestSql.Refusal refusal = sql.refusal(set.formatted(other));
      assertThat(refusal.sqlState()).isEqualTo("HF422");
      assertThat(refusal.message())
          .contains("is of the kind", "Set design_id and kind in one UPDATE");
    }
    String returning = " RETURNING concat_ws(' ', design, design_version, kind)";
    assertThat(
            sql.value(
                set.formatted(
                        "design_id = (SELECT id FROM holdfast.designs WHERE name = 'shell' AND"
                            + " version = 2)")
                    + returning))
        .isEqualTo("shell 2 command");
    assertThat(sql.value(set.formatted(model + ", kind = 'agent'") + returning))
        .isEqualTo("model 1 agent");
    assertThat(sql.value("SELECT kind FROM holdfast.ready WHERE id = ?", id)).isEqualTo("agent");
    assertThat(sql.value(set.formatted("design_id = NULL, kind = 'x'") + returning)).isEqualTo("x");
  }

  @Test
  @DisplayName("what has ended keeps a time of its end, by which retention goes")
  void completed() {
    long done = tickets.in(TicketState.DONE);
    String before = sql.value("SELECT completed_at FROM holdfast.tickets WHERE id = ?", done);
    assertThat(
            sql.value(
                "UPDATE holdfast.tickets SET completed_at = NULL WHERE id = ? RETURNING"
                    + " completed_at",
                done))
        .isNotNull()
        .isEqualTo(before);
  }

  @Test
  @DisplayName("22.4: an error that is written by hand is called by its first line")
  void errorByHand() {
    sql.run(
        "INSERT INTO holdfast.tickets (kind, state, error) VALUES ('by-hand', 'on_hold', ?)",
        "\n \r\n  first\u00e9 \r\nsecond");
    String title = "SELECT error_title FROM holdfast.tickets WHERE kind = 'by-hand'";
    assertThat(sql.value(title)).isEqualTo("first\u00e9 ");
    sql.run("UPDATE holdfast.tickets SET error = ? WHERE kind = 'by-hand'", "\u00e9".repeat(5_000));
    assertThat(sql.value(title)).isEqualTo("\u00e9".repeat(200));
    sql.run("UPDATE holdfast.tickets SET error = NULL WHERE kind = 'by-hand'");
    assertThat(sql.value(title)).isNull();
  }

  @Test
  @DisplayName("A27: a NULL retry_count stays NULL, and the ticket is claimable")
  void nullRetryCount() {
    sql.run("INSERT INTO holdfast.tickets (kind, retry_count) VALUES ('a27', NULL)");
    assertThat(sql.value("SELECT retry_count FROM holdfast.tickets WHERE kind = 'a27'")).isNull();
    assertThat(tickets.claim("a27")).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"human", "NULL"})
  @DisplayName("A43: a ticket for a person, or for nobody, is not filed for workers")
  void notForAgents(String assignee) {
    sql.run(
        "INSERT INTO holdfast.tickets (kind, assignee_type) VALUES ('a43', nullif(?, 'NULL'))",
        assignee);
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'a43'")).isZero();
    sql.run("UPDATE holdfast.tickets SET assignee_type = 'agent' WHERE kind = 'a43'");
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'a43'")).isOne();
    sql.run("UPDATE holdfast.tickets SET assignee_type = 'human' WHERE kind = 'a43'");
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'a43'")).isZero();
    sql.run("UPDATE holdfast.tickets SET state = 'cancelled' WHERE kind = 'a43'");
    sql.run("DELETE FROM holdfast.tickets WHERE kind = 'a43'");
  }

  @Test
  @DisplayName("A39: an explicit created_at is kept, and orders the claim")
  void explicitCreatedAt() {
    sql.run("INSERT INTO holdfast.tickets (kind, title) VALUES ('a39', 'young')");
    sql.run(
        """
        INSERT INTO holdfast.tickets (kind, title, created_at) VALUES ('a39', 'old', '2020-02-02 UTC')
        """);
    assertThat(
            sql.column(
                """
                SELECT title FROM holdfast.ready JOIN holdfast.tickets USING (id)
                WHERE ready.kind = 'a39' ORDER BY ready.priority DESC, ready.created_at
                """))
        .containsExactly("old", "young");
  }

  @Test
  @DisplayName("an explicit id does not get into the way of the ids that follow")
  void explicitId() {
    long id = sql.number("SELECT max(id) + 1000 FROM holdfast.tickets");
    sql.run("INSERT INTO holdfast.tickets (id, kind) VALUES (?, 'explicit')", id);
    assertThat(sql.number("SELECT holdfast.enqueue_ticket(kind => 'explicit')")).isGreaterThan(id);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5, Long.MIN_VALUE, 1_000_000_000_000_001L, Long.MAX_VALUE})
  @DisplayName("an id that would leave none for others, or that no command takes, is refused")
  void idOutOfRange(long id) throws Exception {
    TestSql.Refusal refusal =
        sql.refusal("INSERT INTO holdfast.tickets (id, kind) VALUES (?, 'far')", id);
    assertThat(refusal.sqlState()).isEqualTo("HF422");
    assertThat(refusal.message()).contains("from 1 to 1000000000000000, not " + id, "Leave it out");
    try (var connection = sql.dataSource().getConnection()) {
      CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
      assertThatThrownBy(
              () ->
                  copies.copyIn(
                      "COPY holdfast.tickets (id, kind) FROM STDIN",
                      new StringReader(id + "\tfar\n")))
          .hasMessageContaining("from 1 to 1000000000000000");
    }
    assertThat(sql.number("SELECT holdfast.enqueue_ticket(kind => 'near')")).isPositive();
  }

  @Test
  @DisplayName("A42: a future retry_after waits in deferred; a past one is ready")
  void runAt() {
    sql.run(
        """
        INSERT INTO holdfast.tickets (kind, title, retry_after)
        VALUES ('a42', 'later', now() + interval '1 hour'), ('a42', 'now', now())
        """);
    assertThat(titles("deferred", "a42")).isEqualTo("later");
    assertThat(titles("ready", "a42")).isEqualTo("now");
  }

  @Test
  @DisplayName("A39: editing priority, queue or retry_after files the waiting ticket anew")
  void refile() {
    long id = sql.number("INSERT INTO holdfast.tickets (kind) VALUES ('refile') RETURNING id");
    assertThat(sql.update("UPDATE holdfast.tickets SET priority = 9 WHERE id = ?", id)).isOne();
    assertThat(sql.number("SELECT priority FROM holdfast.ready WHERE id = ?", id)).isEqualTo(9);
    sql.run("UPDATE holdfast.tickets SET queue = 'other' WHERE id = ?", id);
    assertThat(sql.value("SELECT queue FROM holdfast.ready WHERE id = ?", id)).isEqualTo("other");
    sql.run("UPDATE holdfast.tickets SET retry_after = now() + interval '1 day' WHERE id = ?", id);
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE id = ?", id)).isZero();
    assertThat(sql.number("SELECT count(*) FROM holdfast.deferred WHERE id = ?", id)).isOne();
    sql.run("UPDATE holdfast.tickets SET retry_after = NULL WHERE id = ?", id);
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE id = ?", id)).isOne();
    assertThat(sql.number("SELECT count(*) FROM holdfast.deferred WHERE id = ?", id)).isZero();
    assertThat(
            sql.value(
                """
                SELECT details ->> 'columns' FROM holdfast.ticket_activity
                WHERE ticket_id = ? AND action = 'edited' ORDER BY id LIMIT 1
                """,
                id))
        .isEqualTo("[\"priority\"]");
  }

  @Test
  @DisplayName("editing a running ticket changes the row and leaves it running")
  void editRunning() {
    long id = tickets.in(TicketState.IN_PROGRESS);
    assertThat(
            sql.value(
                """
                UPDATE holdfast.tickets SET title = 'new', priority = 5 WHERE id = ?
                RETURNING concat_ws(' ', title, priority, state, worker_id, lease_no > 0)
                """,
                id))
        .isEqualTo("new 5 in_progress worker-1 t");
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE id = ?", id)).isZero();
  }

  @Test
  @DisplayName("A3: columns that Holdfast keeps cannot be set by hand")
  void keptColumns() {
    long id = tickets.in(TicketState.READY);
    TestSql.Refusal refusal =
        sql.refusal("UPDATE holdfast.tickets SET lease_no = 99, crash_count = 1 WHERE id = ?", id);
    assertThat(refusal.sqlState()).isEqualTo("HF422");
    assertThat(refusal.message()).contains("crash_count, lease_no of a ticket cannot be set");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "kind, state     | 'bad', 'in_progress' | HF409 | only by a claim",
        "kind, state     | 'bad', 'ready to go' | HF422 | there is no state \"ready to go\"",
        "title           | 'no kind'            | HF422 | a ticket needs a design or a kind",
        "kind, design_id | 'bad', 4711          | HF404 | there is no design with the id 4711",
        "kind, queue     | 'bad', 'two words'   | HF422 | \"two words\" is not a queue name",
        "kind            | '-bad'               | HF422 | \"-bad\" is not the name of a kind",
        "kind, priority  | 'bad', 3000000000    | 22003 | integer out of range",
        "kind, payload   | 'bad', '{\"a\":'     | 22P02 | invalid input syntax for type json",
        "kind, payload   | 'bad', '\"\\u0000\"' | 22P05 | unsupported Unicode escape sequence",
        "kind, max_cost_usd  | 'bad', -1        | 23514 | max_cost_is_an_amount",
        "kind, max_cost_usd  | 'bad', 'NaN'     | 23514 | max_cost_is_an_amount",
        "kind, assignee_type | 'bad', 'robot'   | 23514 | known_assignee_type",
        "kind, retry_count   | 'bad', -1        | 23514 | retry_count",
        "kind, rejection_count | 'bad', -1      | HF422 | rejection_count must be 0 or more, not"
            + " -1",
        "kind, error_category | 'bad', 'bogus' | HF422 | \"bogus\" is not a category; there are",
        "kind, error_category | 'bad', ''      | HF422 | \"\" is not a category; there are",
        "kind, attempt_count, parent_id, worker_id | 'bad', 3, 1, 'w' | HF422 | attempt_count,"
            + " parent_id, worker_id of a ticket cannot be set by hand",
        "kind, crash_count, same_error_count, error_title, lease_no, lease_expires_at |"
            + " 'bad', 1, 2, 't', 4, now() | HF422 | crash_count, error_title, lease_expires_at,"
            + " lease_no, same_error_count of a ticket cannot",
      })
  @DisplayName("A3: a wrong INSERT is refused and says why")
  void wrongInsert(String columns, String values, String sqlState, String message) {
    TestSql.Refusal refusal =
        sql.refusal("INSERT INTO holdfast.tickets (" + columns + ") VALUES (" + values + ")");
    assertThat(refusal.message()).contains(message);
    assertThat(refusal.sqlState()).isEqualTo(sqlState);
    assertThat(sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'bad'")).isZero();
  }

  @Test
  @DisplayName("an INSERT may say of what Holdfast keeps that there is nothing of it yet")
  void nothingOfIt() {
    sql.run(
        "INSERT INTO holdfast.tickets (kind, lease_no, attempt_count, crash_count, parent_id)"
            + " VALUES ('nothing', 0, 0, NULL, NULL)");
    assertThat(sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'nothing'")).isOne();
  }

  @Test
  @DisplayName("a bad queue name is refused at an edit too, whatever the ticket's state")
  void wrongEdit() {
    long held = tickets.in(TicketState.ON_HOLD);
    TestSql.Refusal refusal =
        sql.refusal("UPDATE holdfast.tickets SET queue = 'a b' WHERE id = ?", held);
    assertThat(refusal.message()).contains("\"a b\" is not a queue name");
    assertThat(sql.value("SELECT queue FROM holdfast.tickets WHERE id = ?", held))
        .isEqualTo("desk");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rejection_count | -1    | rejection_count must be 0 or more, not -1",
        "error_category  | bogus | \"bogus\" is not a category; there are transient",
      })
  @DisplayName("A3: so is such an UPDATE; a row that has it already can still be worked with")
  void wrongValue(String column, String value, String message) {
    long id = tickets.in(TicketState.READY);
    TestSql.Refusal refusal =
        sql.refusal(
            "UPDATE holdfast.tickets SET %s = '%s' WHERE id = ?".formatted(column, value), id);
    assertThat(refusal.message()).contains(message);
    assertThat(refusal.sqlState()).isEqualTo("HF422");

    // As a version took it that refused none of these.
    sql.run(
        "UPDATE holdfast.ticket_base SET %s = '%s' WHERE id = %s"
            .formatted(column, value, "" + id));
    sql.run("UPDATE holdfast.tickets SET priority = 3 WHERE id = " + id);
    sql.run("UPDATE holdfast.tickets SET state = 'on_hold' WHERE id = " + id);
    sql.run("UPDATE holdfast.tickets SET state = 'cancelled' WHERE id = " + id);
    assertThat(sql.value("SELECT state FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("cancelled");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{NULL}", "{answer}", "{nonsense}"})
  @DisplayName("A3: a hold that is inserted without a reason or a way out of it is given both")
  void holdWithoutWayOut(String actions) {
    long id =
        sql.number(
            "INSERT INTO holdfast.tickets (kind, state, hold_reason, allowed_actions)"
                + " VALUES ('stuck', 'on_hold', E' \\n\\t', '%s') RETURNING id".formatted(actions));

    assertThat(
            sql.value(
                "SELECT hold_reason LIKE 'held by %' AND allowed_actions ="
                    + " '{release,release_with_guidance,cancel}' FROM holdfast.tickets WHERE id ="
                    + " ?",
                id))
        .isEqualTo("t");
    assertThat(sql.value("SELECT holdfast.release_ticket(?, 'ann')", id)).isEqualTo("ready");
  }

  @ParameterizedTest
  @ValueSource(strings = {"''", "E' \\n\\t'", "NULL"})
  @DisplayName("a hold keeps its reason where an UPDATE sets none in its place")
  void holdKeepsReason(String none) {
    long id = tickets.in(TicketState.READY);
    sql.run("UPDATE holdfast.tickets SET state = 'on_hold', hold_reason = 'why' WHERE id = " + id);

    sql.run("UPDATE holdfast.tickets SET hold_reason = %s WHERE id = %s".formatted(none, "" + id));
    assertThat(sql.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("why");
    sql.run("UPDATE holdfast.tickets SET hold_reason = 'for that' WHERE id = " + id);
    assertThat(sql.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("for that");
  }

  @ParameterizedTest
  @ValueSource(strings = {"''", "E' \\n\\t'", "NULL"})
  @DisplayName("a blank reason is none, whether an UPDATE holds or cancels")
  void blankReason(String none) {
    long id = tickets.in(TicketState.READY);
    String change = "UPDATE holdfast.tickets SET state = '%s', hold_reason = %s WHERE id = %s";

    sql.run(change.formatted("on_hold", none, "" + id));
    assertThat(sql.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", id))
        .startsWith("held by ");
    sql.run(change.formatted("cancelled", none, "" + id));
    assertThat(
            sql.value(
                "SELECT (details->>'reason') IS NULL FROM holdfast.ticket_activity WHERE ticket_id"
                    + " = ? AND action = 'cancelled'",
                id))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("A3: a hold that is inserted with some of the ways out keeps those")
  void holdWithOneWayOut() {
    long id =
        sql.number(
            "INSERT INTO holdfast.tickets (kind, state, allowed_actions) VALUES ('stuck',"
                + " 'on_hold', '{cancel}') RETURNING id");

    assertThat(sql.value("SELECT allowed_actions FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("{cancel}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT holdfast.enqueue_ticket('bad', run_at => '%s')",
        "SELECT holdfast.enqueue_tickets('[{\"kind\": \"bad\", \"run_at\": \"%s\"}]')",
        "SELECT holdfast.enqueue_batch('[{\"kind\": \"bad\", \"run_at\": \"%s\"}]', 'ann')",
        "INSERT INTO holdfast.tickets (kind, retry_after) VALUES ('bad', '%s')",
        "UPDATE holdfast.tickets SET retry_after = '%s' WHERE kind = 'far'"
      })
  @DisplayName("A46: a ticket cannot start at infinity, which is no time that anybody could read")
  void infiniteStart(String statement) {
    sql.run("SELECT holdfast.enqueue_ticket('far')");
    for (String time : List.of("infinity", "-infinity")) {
      TestSql.Refusal refusal = sql.refusal(statement.formatted(time));
      assertThat(refusal.message()).contains(" must be a time, not " + time);
      assertThat(refusal.sqlState()).isEqualTo("HF422");
    }
    assertThat(sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'bad'")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"created_at", "updated_at", "started_at", "completed_at", "held_at"})
  @DisplayName("A3: no time of a ticket is infinity: whoever lists it could not read it")
  void infiniteTime(String column) {
    long id = tickets.in(TicketState.ON_HOLD);
    for (String time : List.of("infinity", "-infinity")) {
      TestSql.Refusal insert =
          sql.refusal(
              "INSERT INTO holdfast.tickets (kind, state, %s) VALUES ('bad', 'on_hold', '%s')"
                  .formatted(column, time));
      assertThat(insert.message()).contains(column + " must be a time, not " + time);
      assertThat(insert.sqlState()).isEqualTo("HF422");
    }
    assertThat(sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'bad'")).isZero();
    if (List.of("created_at", "started_at", "completed_at").contains(column)) {
      TestSql.Refusal update =
          sql.refusal(
              "UPDATE holdfast.tickets SET %s = 'infinity' WHERE id = ?".formatted(column), id);
      assertThat(update.message()).contains(column + " must be a time, not infinity");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "READY,false",
    "IN_PROGRESS,false",
    "ON_HOLD,false",
    "NEEDS_REVIEW,false",
    "DONE,true",
    "CANCELLED,true"
  })
  @DisplayName("DELETE takes finished tickets only, with all their history")
  void delete(TicketState state, boolean deletable) {
    long id = tickets.in(state);
    if (deletable) {
      assertThat(sql.update("DELETE FROM holdfast.tickets WHERE id = ?", id)).isOne();
      for (String table : new String[] {"ticket_attempts", "ticket_activity", "ticket_guidance"}) {
        assertThat(
                sql.number("SELECT count(*) FROM holdfast." + table + " WHERE ticket_id = ?", id))
            .isZero();
      }
    } else {
      TestSql.Refusal refusal = sql.refusal("DELETE FROM holdfast.tickets WHERE id = ?", id);
      assertThat(refusal.sqlState()).isEqualTo("HF409");
      assertThat(refusal.message())
          .contains("ticket " + id + " is " + state.wireName())
          .contains("cancel_ticket");
    }
  }

  @Test
  @DisplayName("an INSERT of the caller's transaction goes with it")
  void rolledBack() throws Exception {
    try (var connection = sql.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      TestSql.column(connection, "INSERT INTO holdfast.tickets (kind) VALUES ('undone')");
      connection.rollback();
    }
    assertThat(sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'undone'")).isZero();
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'undone'")).isZero();
  }

  @Test
  @DisplayName("an edit does not undo what a worker wrote meanwhile")
  void editKeepsResult() throws Exception {
    sql.run("INSERT INTO holdfast.tickets (kind) VALUES ('slow-edit')");
    long id = sql.number("SELECT id FROM holdfast.tickets WHERE kind = 'slow-edit'");
    long lease = tickets.claim("slow-edit");
    try (var connection = sql.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      // The cursor of the UPDATE has read the ticket as running when the worker finishes it.
      connection.setTransactionIsolation(java.sql.Connection.TRANSACTION_READ_COMMITTED);
      TestSql.column(
          connection,
          """
          CREATE FUNCTION pg_temp.finish_meanwhile(id bigint) RETURNS text LANGUAGE plpgsql AS $$
          BEGIN
            UPDATE holdfast.ticket_base b SET result = '{"answer": 42}', state = 'needs_review', fence = %s
            WHERE b.id = finish_meanwhile.id;
            RETURN 'edited';
          END $$
          """
              .formatted(lease));
      TestSql.column(
          connection,
          "UPDATE holdfast.tickets SET title = pg_temp.finish_meanwhile(id) WHERE id = ?",
          id);
      connection.commit();
    }
    assertThat(
            sql.value(
                "SELECT concat_ws(' ', state, title, result) FROM holdfast.tickets WHERE id = ?",
                id))
        .isEqualTo("needs_review edited {\"answer\": 42}");
  }

  private String titles(String table, String kind) {
    return String.join(
        ",",
        sql.column(
            "SELECT t.title FROM holdfast."
                + table
                + " f JOIN holdfast.tickets t USING (id) WHERE f.kind = ? ORDER BY id",
            kind));
  }
}
