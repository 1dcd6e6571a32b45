package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.Uniqueness;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.InvalidInputException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("A unique key")
class UniquenessIT {
  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final TestQueue queue;

  UniquenessIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(8);
    this.inbox = new PostgresTicketInbox(pool);
    this.queue = TestQueue.on(new TicketDatabase(pool));
  }

  private NewTicket ticket(Uniqueness uniqueness) {
    return NewTicket.ofKind(queue.kind()).withUniqueKey(queue.kind()).withUniqueness(uniqueness);
  }

  private long enqueue(Uniqueness uniqueness) {
    return inbox.enqueue(ticket(uniqueness));
  }

  private void finish(long id) {
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", id);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("of a ticket that waits is not replaced with an old snapshot: it may have begun")
  void oldSnapshot() throws Exception {
    long first = queue.enqueue();
    long id =
        database.number(
            "SELECT holdfast.enqueue_ticket(kind => ?, unique_key => ?, after => ARRAY[?::bigint])",
            queue.kind(),
            queue.kind(),
            first);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      assertThatThrownBy(
              () ->
                  statement.execute(
                      "SELECT holdfast.enqueue_ticket(kind => '%1$s', unique_key => '%1$s',"
                              .formatted(queue.kind())
                          + " on_duplicate => 'replace')"))
          .hasMessageContaining(
              "ticket " + id + " cannot be replaced in a transaction of isolation level");
      connection.rollback();
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(true);
    }
  }

  @Test
  @DisplayName("holds while its ticket is open, and passes to the next one then")
  void open() {
    long first = enqueue(Uniqueness.whileOpen());
    assertThat(enqueue(Uniqueness.whileOpen())).isEqualTo(first);
    finish(first);
    assertThat(enqueue(Uniqueness.USUAL)).as("as long as it is kept").isEqualTo(first);
    long second = enqueue(Uniqueness.whileOpen());
    assertThat(second).isGreaterThan(first);
    assertThat(
            database.value("SELECT unique_key IS NULL FROM holdfast.tickets WHERE id = ?", first))
        .isEqualTo("t");
    assertThat(enqueue(Uniqueness.whileOpen())).isEqualTo(second);
  }

  @Test
  @DisplayName("holds for a time")
  void time() {
    long first = enqueue(Uniqueness.within(Duration.ofHours(1)));
    assertThat(enqueue(Uniqueness.within(Duration.ofHours(1)))).isEqualTo(first);
    database.run(
        "UPDATE holdfast.tickets SET created_at = created_at - interval '2 hours' WHERE id = ?",
        first);
    assertThat(enqueue(Uniqueness.within(Duration.ofHours(3)))).isEqualTo(first);
    assertThat(enqueue(Uniqueness.within(Duration.ofHours(1)))).isGreaterThan(first);
  }

  @Test
  @DisplayName("a time that nothing can count, or none, is refused in words")
  void oddTimes() {
    for (long seconds : new long[] {Long.MIN_VALUE, 0, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> enqueue(Uniqueness.within(Duration.ofSeconds(seconds))))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith("a unique key holds for 1ms to 100 days");
    }
  }

  @Test
  @DisplayName("holds for ever, also when its ticket is deleted")
  void ever() {
    long first = enqueue(Uniqueness.forEver());
    finish(first);
    database.run("DELETE FROM holdfast.tickets WHERE id = ?", first);
    assertThat(enqueue(Uniqueness.forEver())).isEqualTo(first);
    assertThatThrownBy(() -> enqueue(Uniqueness.forEver().refusing()))
        .hasMessageContaining("ticket " + first + " has the unique key");
    assertThat(enqueue(Uniqueness.USUAL)).as("who does not ask for ever").isGreaterThan(first);
  }

  @Test
  @DisplayName("replaces payload and time of a ticket that has not started, and only of such a one")
  void replace() {
    Uniqueness replacing = Uniqueness.whileOpen().replacing();
    long first = inbox.enqueue(ticket(replacing).withDelay(Duration.ofHours(2)));
    assertThat(inbox.enqueue(ticket(replacing).withPayload("{\"n\": 2}"))).isEqualTo(first);
    assertThat(database.ticket(first))
        .containsEntry("payload", "{\"n\": 2}")
        .containsEntry("retry_after", null);
    long lease = queue.claim();
    long second = inbox.enqueue(ticket(replacing).withPayload("{\"n\": 3}"));
    assertThat(second).isGreaterThan(first);
    assertThat(database.ticket(first)).containsEntry("payload", "{\"n\": 2}");
    queue.succeed(first, lease);
  }

  @Test
  @DisplayName(
      "replaces the payload of a ticket on hold that has not started, and it stays on hold")
  void replaceHeld() {
    Uniqueness replacing = Uniqueness.whileOpen().replacing();
    NewTicket later = ticket(replacing).withDelay(Duration.ofHours(2));
    long first = enqueue(replacing);
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", first);
    assertThat(inbox.enqueue(later.withPayload("{\"n\": 2}"))).isEqualTo(first);
    assertThat(database.ticket(first))
        .containsEntry("state", "on_hold")
        .containsEntry("payload", "{\"n\": 2}")
        .containsEntry("retry_after", null);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", first);
    queue.claim();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'stop')", first);
    assertThat(enqueue(replacing)).as("it has started").isGreaterThan(first);
  }

  @Test
  @DisplayName("replaces the deadline with the time: a debounced ticket does not expire meanwhile")
  void replaceDeadline() {
    Uniqueness replacing = Uniqueness.whileOpen().replacing();
    NewTicket soon = ticket(replacing).withDelay(Duration.ofMinutes(10));
    long id = inbox.enqueue(soon.withExpiry(new Expiry.In(Duration.ofMinutes(20))));
    inbox.enqueue(
        soon.withDelay(Duration.ofHours(1)).withExpiry(new Expiry.In(Duration.ofHours(2))));
    String left =
        "SELECT date_part('hour', expires_at - created_at) FROM holdfast.tickets WHERE id = ?";
    assertThat(database.value(left, id)).isEqualTo("2");
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.ticket_deadlines WHERE ticket_id = "
                    + id
                    + " AND expires_at > now() + interval '1 hour'"))
        .isEqualTo(1);
    inbox.enqueue(soon);
    assertThat(database.value(left, id)).isEqualTo("null");
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.ticket_deadlines WHERE ticket_id = " + id))
        .isZero();
  }

  @Test
  @DisplayName("is refused, if that was said; of many at once one wins")
  void refuse() throws Exception {
    Callable<Long> call = () -> enqueue(Uniqueness.whileOpen().refusing());
    int refused = 0;
    Set<Long> ids = new HashSet<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> all =
          callers.invokeAll(IntStream.range(0, 6).mapToObj(i -> call).toList());
      for (Future<Long> each : all) {
        try {
          ids.add(each.get());
        } catch (java.util.concurrent.ExecutionException e) {
          assertThat(e).hasMessageContaining("has the unique key");
          refused++;
        }
      }
    }
    assertThat(ids).hasSize(1);
    assertThat(refused).isEqualTo(5);
  }

  @Test
  @DisplayName("what says nothing is refused in SQL, in a lane that had tickets before, too")
  void refusedInSql() {
    String tooLong = "repeat(md5(random()::text), 320)";
    inbox.enqueue(NewTicket.ofKind(queue.kind()));
    Map.of(
            "unique_key => " + tooLong,
            "the unique_key has 10240 characters, and 500 are allowed",
            "unique_for => 'open'",
            "unique_for and on_duplicate need a unique_key",
            "on_duplicate => 'replace'",
            "unique_for and on_duplicate need a unique_key",
            "on_cancelled => 'explode'",
            "on_cancelled cannot be \"explode\"",
            "after_names => ARRAY['a']",
            "after has 0 ids and after_names 1 names")
        .forEach(
            (argument, words) ->
                assertThatThrownBy(
                        () ->
                            database.run(
                                "SELECT holdfast.enqueue_ticket(?, " + argument + ")",
                                queue.kind()))
                    .as(argument)
                    .rootCause()
                    .hasMessageContaining(words));
    assertThatThrownBy(
            () ->
                database.run(
                    "INSERT INTO holdfast.tickets (kind, unique_key) VALUES (?, " + tooLong + ")",
                    queue.kind()))
        .rootCause()
        .hasMessageContaining("the unique_key has 10240 characters");
  }

  @Test
  @DisplayName("a time that is too long for the database is refused in SQL, by the first ticket")
  void tooLongInSql() {
    for (String time : List.of("3000000d", "9999999999d", "36501d")) {
      assertThatThrownBy(
              () ->
                  database.number(
                      "SELECT holdfast.enqueue_ticket(?, unique_key => 'far', unique_for => ?)",
                      queue.kind(),
                      time))
          .as(time)
          .rootCause()
          .hasMessageContaining("a time as 2h of at most 36500d, not \"" + time + "\"");
    }
    List<Long> twice =
        IntStream.range(0, 2)
            .mapToObj(
                _ ->
                    database.number(
                        "SELECT holdfast.enqueue_ticket(?, unique_key => 'far',"
                            + " unique_for => '36500d')",
                        queue.kind()))
            .toList();
    assertThat(twice.get(1)).isEqualTo(twice.get(0));
  }

  @Test
  @DisplayName("is not empty or blank, whatever way it comes in; nor are the other two keys")
  void blank() {
    long id = inbox.enqueue(NewTicket.ofKind(queue.kind()));
    for (String key : List.of("", " ", "\t \n")) {
      assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(queue.kind()).withUniqueKey(key)))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage("the unique key must not be empty; leave it out for a ticket without one");
      for (String name : List.of("unique_key", "concurrency_key", "fairness_key")) {
        assertEmptyRefused(
            name, "SELECT holdfast.enqueue_ticket(?, " + name + " => ?)", queue.kind(), key);
        assertEmptyRefused(
            name,
            "INSERT INTO holdfast.tickets (kind, " + name + ") VALUES (?, ?)",
            queue.kind(),
            key);
        assertEmptyRefused(
            name, "UPDATE holdfast.tickets SET " + name + " = ? WHERE id = ?", key, id);
      }
    }
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(queue.kind()).withConcurrencyKey(" ")))
        .hasMessageStartingWith("the concurrency key must not be empty");
  }

  private void assertEmptyRefused(String name, String sql, Object... values) {
    assertThatThrownBy(() -> database.run(sql, values))
        .as(sql)
        .rootCause()
        .hasMessageContaining("the " + name + " must not be empty");
  }
}
