package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.engine.PostgresTicketPruner;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.Retention;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.Review;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
@DisplayName("A ticket that waits for others")
class DependenciesIT {
  private static final int ROUNDS = 60;

  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;
  private final TestTickets tickets;
  private final String kind = "chain-" + UUID.randomUUID();

  DependenciesIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.desk = new PostgresTicketDesk(pool);
    this.tickets = new TestTickets(pool);
  }

  private long enqueue(Long... after) {
    return inbox.enqueue(NewTicket.ofKind(kind).withAfter(List.of(after)));
  }

  private List<ClaimedTicket> claim(int most) {
    Claim claim =
        tickets
            .queue()
            .claim(
                new ClaimRequest("worker-1", Set.of(kind), Set.of(), most, Duration.ofMinutes(5)));
    return claim.tickets();
  }

  private List<Long> claimedIds() {
    return claim(100).stream().map(ClaimedTicket::id).toList();
  }

  private ClaimedTicket claimOne() {
    List<ClaimedTicket> claimed = claim(1);
    assertThat(claimed).hasSize(1);
    return claimed.getFirst();
  }

  private void finish(ClaimedTicket ticket) {
    tickets.succeed(ticket.id(), ticket.lease().no(), false);
  }

  private void release(long id) {
    database.run("SELECT holdfast.release_ticket(?, 'rita')", id);
  }

  private String held(long id) {
    return database.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", id);
  }

  @Test
  @DisplayName("is claimed when the last of them is done, in review is not done, and not before")
  void waitsForAll() {
    long first = enqueue();
    long second = enqueue();
    long last = enqueue(first, second, first);
    ClaimedTicket one = claimOne();
    ClaimedTicket two = claimOne();
    assertThat(List.of(one.id(), two.id())).containsExactly(first, second);
    assertThat(claimedIds()).isEmpty();
    finish(one);
    assertThat(claimedIds()).isEmpty();
    tickets.succeed(second, two.lease().no(), true);
    assertThat(claimedIds()).isEmpty();
    assertThat(
            database.value(
                "SELECT kind || ': ' || waits_for FROM holdfast.waiting_tickets WHERE ticket_id ="
                    + " ?",
                last))
        .isEqualTo("dependency: #" + second + ", in review");
    desk.approve(second, "ann");
    assertThat(claimedIds()).containsExactly(last);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.waiting_tickets WHERE ticket_id = " + last))
        .isZero();
  }

  @Test
  @DisplayName("does not wait for one that is done, and keeps its own start time")
  void doneAlready() {
    long first = enqueue();
    finish(claimOne());
    long second = enqueue(first);
    assertThat(claimedIds()).containsExactly(second);

    long third = enqueue();
    long later =
        inbox.enqueue(
            NewTicket.ofKind(kind).withAfter(List.of(third)).withDelay(Duration.ofHours(1)));
    finish(claimOne());
    assertThat(claimedIds()).isEmpty();
    assertThat(database.number("SELECT count(*) FROM holdfast.deferred WHERE id = " + later))
        .isOne();
  }

  @Test
  @DisplayName("says that one of them is on hold since when, and goes on when that one is done")
  void predecessorOnHold() {
    long first = enqueue();
    desk.hold(first, "hal", "look at it");
    long second = enqueue(first);
    assertThat(claimedIds()).isEmpty();
    assertThat(
            database.value(
                "SELECT waits_for FROM holdfast.waiting_tickets WHERE ticket_id = ?", second))
        .matches("#" + first + ", on hold since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ");
    release(first);
    finish(claimOne());
    assertThat(claimedIds()).containsExactly(second);
  }

  @Test
  @DisplayName("is held when one of them is cancelled; released, it runs without that one")
  void predecessorCancelled() {
    long first = enqueue();
    long other = enqueue();
    long second = enqueue(first, other);
    long third = enqueue(second);
    desk.cancel(first, "carl", null);
    assertThat(held(second))
        .isEqualTo(
            "dependency_cancelled: #"
                + first
                + ", which it waits for, was cancelled by carl; release it to run it all the same");
    assertThat(
            database.value(
                "SELECT details->>'holdCause' FROM holdfast.ticket_activity"
                    + " WHERE action = 'held' AND ticket_id = ?",
                second))
        .isEqualTo("dependency_cancelled");
    release(second);
    assertThat(claim(5))
        .singleElement()
        .satisfies(
            claimed -> {
              assertThat(claimed.id()).isEqualTo(other);
              finish(claimed);
            });
    finish(claimOne());
    assertThat(claimedIds()).containsExactly(third);
  }

  @Test
  @DisplayName("can be held, released, edited and cancelled while it waits, and waits on")
  void peopleActOnAWaitingTicket() {
    long first = enqueue();
    long second = enqueue(first);
    desk.hold(second, "hal", "not yet");
    release(second);
    database.run("UPDATE holdfast.tickets SET priority = 7 WHERE id = ?", second);
    ClaimedTicket one = claimOne();
    assertThat(one.id()).isEqualTo(first);
    assertThat(claimedIds()).isEmpty();
    long third = enqueue(first);
    desk.cancel(third, "carl", null);
    long fourth = enqueue(first);
    desk.hold(fourth, "hal", "not yet");
    finish(one);
    assertThat(claimedIds()).containsExactly(second);
    release(fourth);
    assertThat(claimedIds()).containsExactly(fourth);
  }

  @Test
  @DisplayName("refuses, in words, what it cannot wait for, and adds nothing then")
  void refused() {
    long before = database.number("SELECT count(*) FROM holdfast.ticket_base");
    assertThatThrownBy(() -> enqueue(Long.MAX_VALUE))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("there is no ticket 9223372036854775807 to wait for");
    assertThatThrownBy(() -> enqueue(-1L)).isInstanceOf(NotFoundException.class);
    List<Long> tooMany = new ArrayList<>(Collections.nCopies(10_001, 1L));
    assertThatThrownBy(() -> inbox.enqueue(NewTicket.ofKind(kind).withAfter(tooMany)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("10000 others at most, not for 10001");
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT holdfast.enqueue_ticket(kind => ?,"
                        + " after => array_fill(1::bigint, ARRAY[100000]))",
                    kind))
        .hasStackTraceContaining("10000 others at most, not for 100000");
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT holdfast.enqueue_ticket(kind => ?, after => ARRAY[NULL]::bigint[])",
                    kind))
        .hasStackTraceContaining("after must not contain NULL");
    assertThat(database.number("SELECT count(*) FROM holdfast.ticket_base")).isEqualTo(before);

    long cancelled = enqueue();
    desk.cancel(cancelled, "carl", null);
    assertThatThrownBy(() -> enqueue(cancelled))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ticket " + cancelled + " is cancelled; nothing can wait for it");
  }

  @Test
  @DisplayName("is never forgotten when two that it waits for are finished at the same time")
  void twoFinishAtOnce() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      long last = enqueue(enqueue(), enqueue());
      ClaimedTicket one = claimOne();
      ClaimedTicket two = claimOne();
      AtOnce.run(List.of(finishing(one), finishing(two)));
      assertThat(claimedIds()).containsExactly(last);
    }
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("is never forgotten when the one it waits for is finished while it is enqueued")
  void finishedWhileEnqueued() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      long first = enqueue();
      ClaimedTicket one = claimOne();
      List<Long> ids = AtOnce.run(List.of(finishing(one), () -> enqueue(first)));
      assertThat(claimedIds()).containsExactly(ids.getLast());
    }
  }

  @Test
  @DisplayName("lets the one it waits for be finished only after its own transaction")
  void openEnqueue() throws Exception {
    long first = enqueue();
    ClaimedTicket one = claimOne();
    long second;
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      second = inbox.enqueue(connection, NewTicket.ofKind(kind).withAfter(List.of(first)));
      assertCannotBeFinishedNow(one);
      connection.commit();
      connection.setAutoCommit(true);
    }
    finish(one);
    assertThat(claimedIds()).containsExactly(second);
  }

  @Test
  @DisplayName("is never forgotten when it is released while the one it waits for is finished")
  void openRelease() throws Exception {
    long second = enqueue(enqueue());
    desk.hold(second, "hal", "not yet");
    ClaimedTicket one = claimOne();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT holdfast.release_ticket(" + second + ", 'rita')");
      assertCannotBeFinishedNow(one);
      connection.commit();
      connection.setAutoCommit(true);
    }
    finish(one);
    assertThat(claimedIds()).containsExactly(second);
  }

  @ParameterizedTest
  @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
  @DisplayName("is never forgotten by a person whose snapshot is older than it: they are refused")
  void oldSnapshot(String isolation) throws Exception {
    long first = enqueue();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN ISOLATION LEVEL " + isolation + "; SELECT FROM holdfast.tickets");
      enqueue(first);
      assertThatThrownBy(
              () -> statement.execute("SELECT holdfast.cancel_ticket(" + first + ", 'rita', 'no')"))
          .hasMessageContaining("isolation level " + isolation.toLowerCase(Locale.ROOT))
          .hasMessageContaining("BEGIN ISOLATION LEVEL READ COMMITTED");
      statement.execute("ROLLBACK");
    }
  }

  private void assertCannotBeFinishedNow(ClaimedTicket ticket) {
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT holdfast.store_successes(ARRAY[?]::bigint[], ARRAY[?]::bigint[],"
                        + " ARRAY['done'], ARRAY['1'], '{}')",
                    ticket.id(),
                    ticket.lease().no()))
        .hasStackTraceContaining("lock timeout");
  }

  @Test
  @DisplayName(
      "keeps the results that it is to be given from retention and from a DELETE; others lose what"
          + " they waited for when its time is over")
  void pruned() {
    PostgresTicketPruner pruner = new PostgresTicketPruner(pool, "holdfast");
    Retention brief = new Retention(Duration.ofMillis(1), Duration.ZERO, Duration.ZERO);
    long first = enqueue();
    long second = enqueue(first);
    ClaimedTicket one = claimOne();
    tickets
        .queue()
        .finish(
            List.of(new Finish.Succeeded(first, one.lease().no(), "{\"n\": 1}", Review.NONE, null)),
            List.of());
    finish(claimOne());
    long other = enqueue();
    ClaimedTicket open = claimOne();
    Map<String, Long> both = Map.of("one", first, "two", other);
    long waiting = inbox.enqueue(NewTicket.ofKind(kind).withAfter(both));
    database.run("SELECT pg_sleep(0.002)");

    pruner.prune(brief, 1_000);

    assertThat(kept(first, second)).containsExactly(String.valueOf(first));
    assertThat(dependencies(second)).isZero();
    assertThatThrownBy(() -> database.run("DELETE FROM holdfast.tickets WHERE id = ?", first))
        .hasStackTraceContaining("ticket " + waiting + " still needs its result");
    finish(open);
    ClaimedTicket given = claimOne();
    assertThat(given.results()).isEqualTo("{\"one\": {\"n\": 1}, \"two\": {\"answer\": 42}}");
    finish(given);
    database.run("SELECT pg_sleep(0.002)");
    pruner.prune(brief, 1_000);
    assertThat(kept(first, other, waiting)).isEmpty();
    assertThat(dependencies(waiting)).isZero();
    assertThatThrownBy(() -> enqueue(first))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("If it was done and retention has deleted it since, leave it out");
  }

  @Test
  @DisplayName("keeps the result that it is to be given from a DELETE at the moment it is enqueued")
  void deletedWhileEnqueued() throws Exception {
    long first = enqueue();
    finish(claimOne());
    try (Connection connection = pool.getConnection();
        ExecutorService other = Executors.newVirtualThreadPerTaskExecutor()) {
      connection.setAutoCommit(false);
      long waiting =
          inbox.enqueue(connection, NewTicket.ofKind(kind).withAfter(Map.of("one", first)));
      Future<?> deleting =
          other.submit(() -> database.run("DELETE FROM holdfast.tickets WHERE id = ?", first));
      Awaitility.await()
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                              + " AND wait_event_type = 'Lock'")
                      > 0);
      connection.commit();
      connection.setAutoCommit(true);

      assertThatThrownBy(deleting::get)
          .hasStackTraceContaining("ticket " + waiting + " still needs its result");
    }
    assertThat(claimOne().results()).isEqualTo("{\"one\": {\"answer\": 42}}");
  }

  private List<String> kept(Long... ids) {
    return database.column(
        "SELECT id::text FROM holdfast.tickets WHERE id = ANY (?::bigint[]) ORDER BY id",
        "{" + Arrays.stream(ids).map(String::valueOf).collect(Collectors.joining(",")) + "}");
  }

  private long dependencies(long of) {
    return database.number(
        "SELECT count(*) FROM holdfast.ticket_dependencies WHERE ticket_id = " + of);
  }

  private Callable<Long> finishing(ClaimedTicket ticket) {
    return () -> {
      finish(ticket);
      return ticket.id();
    };
  }
}
