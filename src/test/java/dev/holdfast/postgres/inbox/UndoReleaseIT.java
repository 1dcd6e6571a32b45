package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.UndoneTickets;
import dev.holdfast.queue.UndoneTickets.Undone;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class UndoReleaseIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final HikariDataSource pool;
  private final TicketDesk desk;
  private final String key = UUID.randomUUID().toString();

  UndoReleaseIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.pool = this.database.pool(2);
    this.desk = new PostgresTicketDesk(pool);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private List<Long> hold(int count) {
    return database
        .column(
            "INSERT INTO holdfast.tickets (kind, state, retry_count, hold_reason) SELECT ?,"
                + " 'on_hold', 2, 'why' FROM generate_series(1, ?) RETURNING id",
            queue.kind(),
            count)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  private void release(List<Long> ids, String release) {
    TicketDesk one = desk.releasingAs(release);
    ids.forEach(id -> one.release(id, "ann", "try again", Retries.RESET));
  }

  private List<Undone> undo(String release) {
    List<Undone> all = new ArrayList<>();
    new UndoneTickets(desk, release, "bob").forEachRemaining(all::add);
    return all;
  }

  private long timesUndone() {
    return ofThese(
        "SELECT count(*) FROM holdfast.ticket_activity WHERE action = 'release_undone' AND actor ="
            + " 'bob'");
  }

  private long ofThese(String count) {
    return database.number(
        count + " AND ticket_id IN (SELECT id FROM holdfast.tickets WHERE kind = ?)", queue.kind());
  }

  private void age(long id, String interval) {
    database.run(
        "UPDATE holdfast.released_holds SET released_at = now() - ?::interval WHERE ticket_id = ?",
        interval,
        id);
  }

  @Test
  @DisplayName(
      "22.1: a release of more tickets than fit into a portion is undone as one, but for what has"
          + " begun, ended or been tried since")
  void many() {
    List<Long> ids = hold(503);
    release(ids, key);
    ClaimedTicket running = queue.claim(1).getFirst();
    ClaimedTicket tried = queue.claim(1).getFirst();
    queue.giveBack(tried.id(), tried.lease().no());
    desk.cancel(ids.getLast(), "carol", null);

    List<Undone> undone = undo(key);

    assertThat(undone).extracting(Undone::ticketId).doesNotHaveDuplicates().hasSize(503);
    assertThat(undone.stream().filter(each -> !each.takenBack()))
        .containsExactlyInAnyOrder(
            new Undone(running.id(), TicketState.IN_PROGRESS, false),
            new Undone(tried.id(), TicketState.READY, false),
            new Undone(ids.getLast(), TicketState.CANCELLED, false));
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.tickets WHERE state = 'on_hold' AND retry_count = 2"
                    + " AND hold_reason = 'why' AND kind = ?",
                queue.kind()))
        .isEqualTo(500);
    assertThat(ofThese("SELECT count(*) FROM holdfast.ticket_guidance WHERE true")).isEqualTo(3);
    assertThat(timesUndone()).isEqualTo(500);
    queue.succeed(running.id(), running.lease().no());
    assertThatThrownBy(() -> undo(key))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("nothing to undo");
  }

  @Test
  @DisplayName("22.1: the minute for an undo counts from the last ticket of the release")
  void minute() {
    List<Long> ids = hold(3);
    release(ids, key);
    age(ids.getFirst(), "10 min");
    age(ids.get(1), "62 s");
    age(ids.getLast(), "62 s");

    assertThatThrownBy(() -> undo(key))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("too late to undo the release: its last ticket was released at");
    age(ids.get(1), "50 s");
    assertThat(undo(key)).extracting(Undone::takenBack).containsExactly(true, true, true);
  }

  @Test
  @DisplayName(
      "22.1: an undo leaves alone what others released, also what they held and released anew")
  void ofOthers() {
    List<Long> ids = hold(4);
    release(ids.subList(0, 2), key);
    release(ids.subList(2, 3), "another");
    desk.release(ids.getLast(), "carol", null, Retries.RESET);
    desk.hold(ids.getFirst(), "carol", "wait");
    desk.release(ids.getFirst(), "carol", null, Retries.RESET);

    assertThat(undo(key)).containsExactly(new Undone(ids.get(1), TicketState.ON_HOLD, true));
    assertThat(ids.stream().map(database::state))
        .containsExactly("ready", "on_hold", "ready", "ready");
  }

  @Test
  @DisplayName("22.1: who undoes a release in portions beside another one goes on behind theirs")
  void besideAnother() throws Exception {
    release(hold(4), key);
    try (Connection first = pool.getConnection();
        Statement statement = first.createStatement()) {
      first.setAutoCommit(false);
      statement.execute("SELECT holdfast.undo_release('%s', 'bob', 2)".formatted(key));
      CompletableFuture<Long> second =
          CompletableFuture.supplyAsync(
              () ->
                  database.number("SELECT count(*) FROM holdfast.undo_release(?, 'bob', 2)", key));
      await("the second one waits")
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                              + " AND wait_event_type = 'Lock'")
                      > 0);
      first.commit();
      first.setAutoCommit(true);
      assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(2);
    }
    assertThat(timesUndone()).isEqualTo(4);
  }

  @Test
  @DisplayName("22.1: of two who undo a release at once none takes a ticket back twice")
  void twoAtOnce() throws Exception {
    release(hold(200), key);
    Callable<List<Undone>> undo =
        () -> {
          try {
            return undo(key);
          } catch (NotFoundException e) {
            return List.of();
          }
        };
    List<List<Undone>> both = AtOnce.run(undo, undo);
    assertThat(both.getFirst().size() + both.getLast().size()).isEqualTo(200);
    assertThat(timesUndone()).isEqualTo(200);
  }
}
