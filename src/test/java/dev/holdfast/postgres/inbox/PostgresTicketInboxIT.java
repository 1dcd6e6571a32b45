package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class PostgresTicketInboxIT {
  private static final NewTicket FULL =
      NewTicket.ofKind("full")
          .withTitle("tab\t, line\n, backslash \\N, quote ' and \uD83D\uDC22")
          .withPayload("{\"path\": \"C:\\\\temp\\n\", \"n\": [1, 2.50, null]}")
          .withQueue("bulk")
          .withPriority(-7)
          .withRunAt(Instant.parse("2040-05-06T07:08:09.123456Z"))
          .withMaxCostUsd(new BigDecimal("12.50"));

  private final DataSource dataSource;
  private final TestSql sql;
  private final PostgresTicketInbox inbox;

  PostgresTicketInboxIT(TestDatabase database) {
    this.dataSource = database.dataSource();
    this.sql = new TestSql(dataSource);
    this.inbox = new PostgresTicketInbox(dataSource);
  }

  private String row(String kind) {
    return String.valueOf(
        sql.value(
            """
            SELECT concat_ws('|', title, payload, queue, priority, retry_after AT TIME ZONE 'UTC', unique_key,
              max_cost_usd, state, assignee_type, retry_count, design_id)
            FROM holdfast.tickets WHERE kind = ?
            """,
            kind));
  }

  @Test
  @DisplayName("A38: every value of a ticket arrives as it was given, alone or by COPY")
  void allValues() {
    String expected =
        "tab\t, line\n, backslash \\N, quote ' and \uD83D\uDC22|{\"n\": [1, 2.50, null], \"path\":"
            + " \"C:\\\\temp\\n\"}|bulk|-7|2040-05-06 07:08:09.123456|key-%s|12.50|ready|agent|0";
    inbox.enqueue(FULL.withUniqueKey("key-1"));
    assertThat(row("full")).isEqualTo(expected.formatted("1"));
    sql.run("UPDATE holdfast.tickets SET kind = 'full-1' WHERE kind = 'full'");
    assertThat(inbox.enqueueAll(List.of(FULL.withUniqueKey("key-2")).iterator())).isOne();
    assertThat(row("full")).isEqualTo(expected.formatted("2"));
    sql.run("UPDATE holdfast.tickets SET kind = 'full-2' WHERE kind = 'full'");
    assertThat(inbox.enqueueAll(List.of(FULL).iterator())).isOne();
    assertThat(row("full")).isEqualTo(expected.replace("|key-%s", ""));
  }

  @Test
  @DisplayName("enqueueing on the caller's connection is part of the caller's transaction")
  void callersTransaction() throws Exception {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      inbox.enqueue(connection, NewTicket.ofKind("with-order"));
      connection.rollback();
      assertThat(count("with-order")).isZero();
      // A value that can be seen to be bad costs the caller's transaction nothing.
      assertThatThrownBy(() -> inbox.enqueue(connection, NewTicket.ofKind("a b")))
          .isInstanceOf(InvalidInputException.class);
      long id = inbox.enqueue(connection, NewTicket.ofKind("with-order"));
      assertThat(count("with-order")).describedAs("before the commit").isZero();
      connection.commit();
      assertThat(sql.number("SELECT id FROM holdfast.tickets WHERE kind = 'with-order'"))
          .isEqualTo(id);
    }
  }

  @Test
  @DisplayName("a unique key that a kept ticket has: its id comes back and nothing is added")
  void uniqueKey() {
    NewTicket ticket = NewTicket.ofKind("once").withUniqueKey("order-17");
    long id = inbox.enqueue(ticket);
    assertThat(inbox.enqueue(ticket.withTitle("again"))).isEqualTo(id);
    assertThat(inbox.enqueueAll(List.of(ticket, ticket.withUniqueKey("order-18")).iterator()))
        .isOne();
    assertThat(count("once")).isEqualTo(2);
    assertThat(
            sql.refusal(
                "INSERT INTO holdfast.tickets (kind, unique_key) VALUES ('once', 'order-17')"))
        .extracting(TestSql.Refusal::sqlState)
        .isEqualTo("23505");
  }

  @Test
  @DisplayName("by COPY, too, the first of two equal keys wins and tickets without one all come in")
  void uniqueKeysInOneCopy() {
    List<NewTicket> tickets =
        IntStream.range(0, 25_000)
            .mapToObj(
                i ->
                    NewTicket.ofKind("copy")
                        .withTitle("t" + i)
                        .withUniqueKey(i % 5 == 0 ? null : "copy-" + i % 10_001))
            .toList();
    long keys =
        tickets.stream().map(NewTicket::uniqueKey).filter(k -> k != null).distinct().count();
    assertThat(inbox.enqueueAll(tickets.iterator())).isEqualTo(5_000 + keys);
    assertThat(count("copy")).isEqualTo(5_000 + keys);
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'copy'"))
        .isEqualTo(5_000 + keys);
    assertThat(sql.value("SELECT title FROM holdfast.tickets WHERE unique_key = 'copy-1'"))
        .isEqualTo("t1");
  }

  @Test
  @DisplayName("A42: a delay is counted by the database's clock")
  void delay() {
    NewTicket later = NewTicket.ofKind("delayed").withDelay(Duration.ofMinutes(10));
    inbox.enqueue(later);
    inbox.enqueueAll(List.of(later, later.withUniqueKey("delayed")).iterator());
    assertThat(
            sql.column(
                """
                SELECT retry_after - created_at FROM holdfast.tickets WHERE kind = 'delayed'
                """))
        .containsExactly("00:10:00", "00:10:00", "00:10:00");
    assertThat(sql.number("SELECT count(*) FROM holdfast.deferred WHERE kind = 'delayed'"))
        .isEqualTo(3);
  }

  @Test
  @DisplayName("A41: a ticket of a design gets its latest version and its kind")
  void design() {
    PostgresDesignStore store = new PostgresDesignStore(dataSource);
    store.put("hello", "command", "{\"command\": [\"true\"]}", "dora");
    long id = store.put("hello", "command", "{\"command\": [\"date\"]}", "dora").id();
    inbox.enqueue(NewTicket.ofDesign("hello").withTitle("of design"));
    inbox.enqueueAll(
        List.of(
                NewTicket.ofDesign("hello").withTitle("of design"),
                NewTicket.ofDesign("hello").withTitle("of design").withUniqueKey("d"))
            .iterator());
    assertThat(
            sql.column(
                "SELECT concat_ws('|', kind, design_id) FROM holdfast.tickets WHERE title = 'of"
                    + " design'"))
        .containsOnly("command|" + id)
        .hasSize(3);
    NewTicket contradiction = NewTicket.of("hello", "agent");
    String message = "design \"hello\" is of the kind \"command\", not \"agent\"";
    assertThatThrownBy(() -> inbox.enqueue(contradiction))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> inbox.enqueueAll(List.of(contradiction).iterator()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ticket 1: " + message);
  }

  @Test
  @DisplayName("an unknown design is refused, and the message says how to make one")
  void unknownDesign() {
    String message = "there is no design \"nope\" (holdfast design put NAME --file FILE makes one)";
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofDesign("nope")))
        .isInstanceOf(NotFoundException.class)
        .hasMessage(message);
    assertThatThrownBy(
            () ->
                inbox.enqueueAll(
                    List.of(NewTicket.ofKind("k"), NewTicket.ofDesign("nope")).iterator()))
        .isInstanceOf(NotFoundException.class)
        .hasMessage("ticket 2: " + message);
  }

  static Stream<Arguments> badTickets() {
    NewTicket good = NewTicket.ofKind("bad-input");
    return Stream.of(
        Arguments.of(good.withPayload("{\"a\": }"), "the payload is not JSON: "),
        Arguments.of(
            good.withPayload("{\"a\": 1"),
            "the payload is not JSON: it ends too early at line 1, column "),
        Arguments.of(good.withPayload("{'a': 1}"), "at line 1, column "),
        Arguments.of(good.withPayload(" "), "the payload must be one JSON value"),
        Arguments.of(good.withPayload("{} {}"), "the payload must be one JSON value"),
        Arguments.of(good.withPayload("[\"\\u0000\"]"), "the payload has the character NUL"),
        Arguments.of(good.withPayload("{\"\\u0000\": 1}"), "the payload has the character NUL"),
        Arguments.of(good.withPayload("[\"\\ud83d\"]"), "the payload has half a surrogate pair"),
        Arguments.of(good.withPayload("[\"\uD83D\"]"), "the payload has half a surrogate pair"),
        Arguments.of(
            good.withPayload("\"" + "ä".repeat(524_288) + "\""),
            "the payload has 1048578 bytes, more than 1048576; put large data elsewhere"),
        Arguments.of(good.withTitle("a\0b"), "the title has the character NUL"),
        Arguments.of(good.withUniqueKey("a\0b"), "the unique key has the character NUL"),
        Arguments.of(good.withUniqueKey("k".repeat(501)), "the unique key is longer than 500"),
        Arguments.of(good.withQueue("two words"), "\"two words\" cannot be the name of a queue"),
        Arguments.of(good.withQueue("q".repeat(64)), "cannot be the name of a queue; take 1 to 63"),
        Arguments.of(NewTicket.ofKind("a\nb"), "\"a?b\" cannot be the name of a kind"),
        Arguments.of(good.withDelay(Duration.ofMillis(-1)), "the delay must be from 0 to 36500"),
        Arguments.of(good.withDelay(Duration.ofDays(40_000)), "the delay must be from 0 to 36500"),
        Arguments.of(good.withRunAt(Instant.MAX), "the start time must be from 1970 to 9999"),
        Arguments.of(good.withMaxCostUsd(new BigDecimal("-0.01")), "the cost limit must be from 0"),
        Arguments.of(NewTicket.of(null, null), "a ticket needs a design or a kind"));
  }

  @ParameterizedTest
  @MethodSource("badTickets")
  @DisplayName("bad input is refused in words; of many tickets the first bad one is named")
  void badInput(NewTicket bad, String message) {
    assertThatThrownBy(() -> inbox.enqueue(bad))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message)
        .extracting(Throwable::getMessage)
        .satisfies(text -> assertThat(text.lines()).hasSize(1));
    NewTicket good = NewTicket.ofKind("bad-input");
    assertThatThrownBy(() -> inbox.enqueueAll(List.of(good, good, bad).iterator()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("ticket 3: ")
        .hasMessageContaining(message);
    assertThat(count("bad-input")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "NaN", "Infinity", "1000000000.1"})
  @DisplayName("a limit of cost that is no amount is refused in SQL, in words")
  void badCostLimit(String limit) {
    TestSql.Refusal refusal =
        sql.refusal("SELECT holdfast.enqueue_ticket('bad-cost', max_cost_usd => '" + limit + "')");
    assertThat(refusal.sqlState()).isEqualTo("HF422");
    assertThat(refusal.message())
        .contains("max_cost_usd must be from 0 to 1000000000, not " + limit);
  }

  @Test
  @DisplayName("a workflow is given no limit of cost, whichever way it comes")
  void costLimitOfWorkflow() {
    String why = "steps are tickets of their own";
    String design = "without-limit";
    sql.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition)"
            + " VALUES (?, 1, 'workflow', '{}')",
        design);
    NewTicket ofDesign = NewTicket.ofDesign(design).withMaxCostUsd(BigDecimal.ONE);
    List<ThrowingCallable> ways =
        List.of(
            () -> inbox.enqueue(ofDesign),
            () -> inbox.enqueue(NewTicket.ofKind("workflow").withMaxCostUsd(BigDecimal.ZERO)),
            () -> inbox.enqueueAll(List.of(ofDesign).iterator()),
            () -> inbox.enqueueAll(List.of(ofDesign.withUniqueKey(design)).iterator()));
    for (ThrowingCallable way : ways) {
      assertThatThrownBy(way)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("a workflow has no limit of cost")
          .hasMessageContaining(why);
    }
    TestSql.Refusal insert =
        sql.refusal(
            "INSERT INTO holdfast.tickets (design, max_cost_usd) VALUES ('" + design + "', 1)");
    assertThat(insert.sqlState()).isEqualTo("HF422");
    long id = inbox.enqueue(NewTicket.ofDesign(design));
    assertThat(
            sql.refusal("UPDATE holdfast.tickets SET max_cost_usd = 1 WHERE id = " + id).sqlState())
        .isEqualTo("HF422");
    assertThat(sql.refusal("SELECT holdfast.raise_budget('ticket:" + id + "', 1, 'ann')").message())
        .contains(why);
  }

  @Test
  @DisplayName("what only the database can see to be bad is named by its position as well")
  void refusedByDatabase() {
    List<NewTicket> tickets =
        IntStream.rangeClosed(1, 12_000)
            .mapToObj(
                i -> NewTicket.ofKind("position").withPayload(i == 11_234 ? "[1e200000]" : "{}"))
            .toList();
    assertThatThrownBy(() -> inbox.enqueueAll(tickets.iterator()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("ticket 11234: ");
    assertThat(count("position")).describedAs("all or none").isZero();
    assertThat(inbox.enqueue(NewTicket.ofKind("position"))).isPositive();
  }

  @Test
  @DisplayName("payload.max-bytes moves the limit")
  void payloadLimit() {
    PostgresTicketInbox small = new PostgresTicketInbox(dataSource, "holdfast", 10);
    assertThat(small.enqueue(NewTicket.ofKind("small").withPayload("\"12345678\""))).isPositive();
    assertThatThrownBy(() -> small.enqueue(NewTicket.ofKind("small").withPayload("\"123456789\"")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("raise payload.max-bytes");
    String largest = "\"" + "x".repeat(PostgresTicketInbox.DEFAULT_MAX_PAYLOAD_BYTES - 2) + "\"";
    assertThat(inbox.enqueue(NewTicket.ofKind("large").withPayload(largest))).isPositive();
  }

  @Test
  @DisplayName("what the tickets' source throws passes through, and nothing is added")
  void brokenSource() {
    Stream<NewTicket> source =
        Stream.of(1, 2)
            .map(
                i -> {
                  if (i == 2) {
                    throw new HoldfastException("line 2 is not JSON");
                  }
                  return NewTicket.ofKind("broken-source");
                });
    assertThatThrownBy(() -> inbox.enqueueAll(source.iterator())).hasMessage("line 2 is not JSON");
    assertThat(count("broken-source")).isZero();
  }

  private long count(String kind) {
    return sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = ?", kind);
  }
}
