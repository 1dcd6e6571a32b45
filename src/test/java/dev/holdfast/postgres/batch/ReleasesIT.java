package dev.holdfast.postgres.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.batch.NewRelease;
import dev.holdfast.batch.Release;
import dev.holdfast.batch.ReleaseDesk;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.engine.PostgresBatchKeeper;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.schema.Question;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketWait;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("A release in steps")
class ReleasesIT {
  private static final String ASKED =
      "{\"cause\":\"question\",\"question\":" + Question.of("which colour?").toJson() + "}";

  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final ReleaseDesk desk;
  private final TestTickets tickets;
  private final PostgresBatchKeeper keeper;
  private final String kind = "release-" + UUID.randomUUID();
  private final String fingerprint = UUID.randomUUID().toString().replace("-", "");

  ReleasesIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(4);
    this.desk = new PostgresReleaseDesk(pool, "holdfast").through(Channel.CLI);
    this.tickets = new TestTickets(pool);
    this.keeper = new PostgresBatchKeeper(pool, "holdfast");
  }

  private void hold(int count) {
    database.run(
        "INSERT INTO holdfast.tickets (kind, state, error, error_category, error_fingerprint)"
            + " SELECT ?, 'on_hold', 'no such file', 'system_error', ? FROM generate_series(1, ?)",
        kind,
        fingerprint,
        count);
  }

  private NewRelease of(int canary, String ramp, @Nullable String guidance) {
    return new NewRelease(
        new NewRelease.Which(null, fingerprint, null, null),
        canary,
        NewRelease.ramp(ramp),
        guidance,
        Retries.RESET,
        Conversation.RESUME);
  }

  private List<ClaimedTicket> claim() {
    return tickets
        .queue()
        .claim(new ClaimRequest("worker-1", Set.of(kind), Set.of(), 100, Duration.ofMinutes(5)))
        .tickets();
  }

  private int finish() {
    List<ClaimedTicket> claimed = claim();
    claimed.forEach(each -> tickets.succeed(each.id(), each.lease().no(), false));
    return claimed.size();
  }

  /** A failed attempt, as a worker stores it. */
  private void fail(ClaimedTicket ticket, String error) {
    database.run("SELECT holdfast.hold_ticket(?, 'system', 'failed')", ticket.id());
    database.run(
        "UPDATE holdfast.ticket_attempts SET outcome = 'failed', fingerprint = ? WHERE ticket_id ="
            + " ? AND lease_no = ?",
        error,
        ticket.id(),
        ticket.lease().no());
  }

  /** As workers do, but without their pauses. */
  private void advance() {
    database.run("UPDATE holdfast.releases SET look_at = now() WHERE ended_at IS NULL");
    while (keeper.advance().isZero()) {
      // There is more to do.
    }
  }

  private Release now(Release release) {
    return desk.find(release.id()).orElseThrow();
  }

  @Test
  @DisplayName("goes on when the server's clock, which was ahead, has been set back")
  void clockWasAhead() {
    hold(2);
    Release release = desk.start(of(1, "all", null), "ann");
    assertThat(finish()).isEqualTo(1);
    database.run("UPDATE holdfast.releases SET look_at = now() + interval '9 days'");
    while (keeper.advance().isZero()) {
      // There is more to do.
    }
    assertThat(now(release).released()).isEqualTo(2);
  }

  @Test
  @DisplayName("releases the canary, waits for its outcome, then more, and all with one guidance")
  void steps() {
    hold(30);
    Release release = desk.start(of(3, "5,all", "the file is back"), "ann");
    assertThat(release.progress()).isEqualTo("step 1 of 3: released 3 of 30, 3 wait");
    advance();
    assertThat(now(release).released()).isEqualTo(3);
    assertThat(finish()).isEqualTo(3);
    advance();
    assertThat(now(release).progress())
        .isEqualTo("step 2 of 3: released 8 of 30, 3 came through, 5 wait");
    List<ClaimedTicket> second = claim();
    assertThat(second).hasSize(5);
    second.subList(0, 4).forEach(each -> tickets.succeed(each.id(), each.lease().no(), false));
    advance();
    assertThat(now(release).released()).as("one is still at work").isEqualTo(8);
    // One of five is held for another reason; that stops nothing.
    fail(second.getLast(), "another error");
    advance();
    assertThat(now(release).released()).isEqualTo(30);
    assertThat(finish()).isEqualTo(22);
    advance();
    Release done = now(release);
    assertThat(done.progress())
        .isEqualTo("completed: released 30 of 30, 29 came through, 1 on hold with another error");
    assertThat(done.endedAt()).isNotNull();
    assertThat(
            database.column(
                "SELECT DISTINCT concat_ws('|', a.actor, a.channel, a.details->>'guidance') FROM"
                    + " holdfast.ticket_activity a JOIN holdfast.tickets t ON t.id = a.ticket_id"
                    + " WHERE t.kind = ? AND a.action = 'released'",
                kind))
        .containsExactly("ann|cli|the file is back");
  }

  @Test
  @DisplayName("asks who holds a ticket only of those that are on hold with another error")
  void asksOfFew() throws SQLException {
    hold(3);
    Release release = desk.start(of(1, "all", null), "ann");
    try (Connection connection = pool.getConnection();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      session.execute(
          """
          CREATE OR REPLACE FUNCTION holdfast.held_by_person(w holdfast.release_tickets) RETURNS boolean LANGUAGE plpgsql
          AS $$BEGIN RAISE 'asked'; END$$
          """);
      session.execute("SELECT holdfast.release_status(" + release.id() + ")");
      connection.rollback();
    }
    assertThat(now(release).released()).isEqualTo(1);
  }

  @Test
  @DisplayName("stops by itself when the same error comes back, and leaves the rest on hold")
  void sameError() {
    hold(20);
    Release release = desk.start(of(3, "all", null), "ann");
    List<ClaimedTicket> canary = claim();
    tickets.succeed(canary.getFirst().id(), canary.getFirst().lease().no(), false);
    fail(canary.get(1), fingerprint);
    advance();
    Release stopped = now(release);
    assertThat(stopped.state()).isEqualTo("stopped");
    assertThat(stopped.reason())
        .isEqualTo(
            "the same error came back: #"
                + canary.get(1).id()
                + " failed with "
                + fingerprint
                + " again");
    assertThat(List.of(stopped.released(), stopped.succeeded(), stopped.sameError()))
        .containsExactly(3L, 1L, 1L);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.tickets WHERE kind = ? AND state = 'on_hold'", kind))
        .isEqualTo(18);
    advance();
    assertThat(now(release).released()).isEqualTo(3);
  }

  @Test
  @DisplayName("stops where no ticket of a step comes through, whatever the errors are")
  void otherErrors() {
    hold(10);
    Release release = desk.start(of(2, "all", null), "ann");
    claim().forEach(each -> fail(each, "error " + each.id()));
    advance();
    assertThat(now(release).reason())
        .isEqualTo("no ticket of step 1 came through: 2 on hold with another error");
  }

  @Test
  @DisplayName("stops where people have taken all tickets of a step away, and calls that no error")
  void heldByPeople() {
    hold(10);
    Release release = desk.start(of(3, "all", null), "ann");
    List<Long> ids =
        database
            .column("SELECT id FROM holdfast.tickets WHERE kind = ? AND state = 'ready'", kind)
            .stream()
            .map(Long::valueOf)
            .toList();
    database.run("SELECT holdfast.unrelease_ticket(?, 'ann')", ids.get(0));
    database.run("SELECT holdfast.hold_ticket(?, 'bob', 'not this one')", ids.get(1));
    database.run("SELECT holdfast.cancel_ticket(?, 'bob')", ids.get(2));
    advance();
    assertThat(now(release).progress())
        .isEqualTo(
            "stopped: released 3 of 10, 2 held by a person or taken back, 1 cancelled; no ticket of"
                + " step 1 came through: 2 held by a person or taken back");
  }

  private void end(ClaimedTicket ticket, Finish end) {
    tickets.queue().finish(List.of(end), List.of(ticket.lease().no()));
  }

  private static Finish held(
      ClaimedTicket ticket, HoldCause cause, TicketWait.@Nullable Kind kind) {
    TicketWait wait =
        kind == null ? null : new TicketWait(kind, List.of("day"), "it waits", BigDecimal.TEN);
    String why = cause.wireName() + ": day";
    Failure failure = new Failure(why, Category.CODE_ERROR, "test", "", null, null, why);
    return new Finish.Failed(
        ticket.id(), ticket.lease().no(), failure, new RetryDecision.Hold(cause, why), wait, false);
  }

  private static Finish parked(ClaimedTicket ticket, String action) {
    return new Finish.Parked(
        ticket.id(), ticket.lease().no(), "asked", List.of(action, "cancel"), ASKED);
  }

  @Test
  @DisplayName("waits for a person's answer, a provider and a budget: they are no errors")
  void noErrors() {
    hold(10);
    Release release = desk.start(of(4, "all", null), "ann");
    List<ClaimedTicket> canary = claim();
    end(canary.get(0), parked(canary.get(0), "answer"));
    end(canary.get(1), parked(canary.get(1), "approve_call"));
    end(canary.get(2), held(canary.get(2), HoldCause.BUDGET_EXCEEDED, TicketWait.Kind.BUDGET));
    end(canary.get(3), held(canary.get(3), HoldCause.ACCOUNT_UNAVAILABLE, TicketWait.Kind.ACCOUNT));
    advance();
    assertThat(now(release).progress())
        .isEqualTo(
            "step 1 of 2: released 4 of 10, 2 wait for a person's answer, 2 wait for a provider or"
                + " a budget");
    database.run("SELECT holdfast.answer_ticket(?, 'ann', '\"red\"')", canary.get(0).id());
    for (ClaimedTicket each : canary.subList(2, 4)) {
      database.run("SELECT holdfast.release_ticket(?, 'ann')", each.id());
    }
    assertThat(now(release).progress())
        .isEqualTo("step 1 of 2: released 4 of 10, 3 wait, 1 wait for a person's answer");
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", canary.get(1).id());
    assertThat(finish()).isEqualTo(3);
    advance();
    assertThat(now(release).progress())
        .isEqualTo("step 2 of 2: released 10 of 10, 3 came through, 6 wait, 1 cancelled");
  }

  @Test
  @DisplayName("a hold that only sounds like a wait for a budget is an error: nothing releases it")
  void soundsLikeWait() {
    hold(10);
    Release release = desk.start(of(2, "all", null), "ann");
    for (ClaimedTicket each : claim()) {
      end(each, held(each, HoldCause.BUDGET_EXCEEDED, null));
    }
    advance();
    assertThat(now(release).reason())
        .isEqualTo("no ticket of step 1 came through: 2 on hold with another error");
  }

  private List<String> heldIds() {
    return database.column(
        "SELECT id FROM holdfast.tickets WHERE kind = ? AND state = 'on_hold' ORDER BY id", kind);
  }

  @Test
  @DisplayName("a person stops it; tickets that others released or cancelled are skipped")
  void stopped() {
    hold(9);
    Release release = desk.start(of(2, "4,all", null), "ann");
    List<String> held = heldIds();
    database.run("SELECT holdfast.cancel_ticket(?::bigint, 'bob')", held.get(0));
    database.run("SELECT holdfast.release_ticket(?::bigint, 'bob')", held.get(1));
    assertThat(finish()).isEqualTo(3);
    advance();
    Release second = now(release);
    assertThat(List.of(second.released(), second.skipped())).containsExactly(6L, 2L);
    assertThat(desk.stop(release.id(), "bob").reason()).isEqualTo("stopped by bob");
    assertThatThrownBy(() -> desk.stop(release.id(), "bob"))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("has ended: it is stopped: stopped by bob");
    finish();
    advance();
    assertThat(now(release).released()).isEqualTo(6);
    assertThat(desk.list(1, null)).extracting(Release::id).containsExactly(release.id());
  }

  @Test
  @DisplayName("a ticket that somebody released before and that is on hold again is skipped, too")
  void heldAgain() {
    hold(4);
    Release release = desk.start(of(2, "all", null), "ann");
    List<String> held = heldIds();
    database.run("SELECT holdfast.release_ticket(?::bigint, 'bob')", held.get(0));
    database.run("SELECT holdfast.hold_ticket(?::bigint, 'bob', 'not this one')", held.get(0));
    database.run("SELECT holdfast.release_ticket(?::bigint, 'bob')", held.get(1));
    database.run("SELECT holdfast.unrelease_ticket(?::bigint, 'bob')", held.get(1));
    assertThat(finish()).isEqualTo(2);
    advance();
    assertThat(now(release).progress())
        .isEqualTo("step 2 of 2: released 3 of 4, 2 came through, 1 wait, 1 skipped");
    assertThat(
            database.column(
                "SELECT hold_reason FROM holdfast.tickets WHERE id = ?::bigint", held.get(0)))
        .containsExactly("not this one");
  }

  @Test
  @DisplayName("many workers that take it on at once release each step once")
  void atOnce() throws Exception {
    hold(60);
    Release release = desk.start(of(1, "7,all", null), "ann");
    finish();
    Callable<Object> worker =
        () -> {
          for (int i = 0; i < 10; i++) {
            keeper.advance();
          }
          return true;
        };
    database.run("UPDATE holdfast.releases SET look_at = now() WHERE ended_at IS NULL");
    AtOnce.run(Collections.nCopies(4, worker));
    assertThat(now(release).progress())
        .isEqualTo("step 2 of 3: released 8 of 60, 1 came through, 7 wait");
  }

  @Test
  @DisplayName("takes tickets by ids, category and batch, and refuses what it cannot do")
  void selections() {
    hold(4);
    List<Long> ids =
        database.column("SELECT id FROM holdfast.tickets WHERE kind = ? ORDER BY id", kind).stream()
            .map(Long::valueOf)
            .toList();
    Release byIds = start(new NewRelease.Which(ids.subList(0, 2), null, null, null), 5);
    assertThat(byIds.total()).isEqualTo(2);
    assertThat(byIds.selectionWords()).isEqualTo("#" + ids.getFirst() + " #" + ids.get(1));
    Release byBoth =
        start(
            new NewRelease.Which(null, fingerprint.substring(0, 8), Category.SYSTEM_ERROR, null),
            1);
    assertThat(byBoth.total()).isEqualTo(2);
    assertThat(byBoth.selectionWords())
        .isEqualTo("fingerprint " + fingerprint.substring(0, 8) + ", category system_error");
    assertThatThrownBy(
            () -> start(new NewRelease.Which(null, fingerprint, Category.TRANSIENT, null), 1))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("no held ticket matches");
    assertThatThrownBy(() -> start(new NewRelease.Which(null, null, null, 987_654L), 1))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("there is no batch 987654");
    assertThatThrownBy(() -> start(new NewRelease.Which(null, null, null, null), 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("which tickets?");
    assertThatThrownBy(() -> start(new NewRelease.Which(null, "abc", null, null), 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("8 characters");
    assertThatThrownBy(() -> start(new NewRelease.Which(ids, null, null, null), 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("the canary must be from 1");
    NewRelease all = of(1, "all", null);
    assertThatThrownBy(
            () ->
                desk.start(
                    new NewRelease(
                        all.which(), 1, List.of(0, 5), null, all.retries(), all.conversation()),
                    "ann"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("no step can come after all");
    for (String bad : List.of("", "0", "-3", "ten", "5,,6", "5;6", "all,", "all,5", "99999999")) {
      assertThatThrownBy(() -> NewRelease.ramp(bad)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  private Release start(NewRelease.Which which, int canary) {
    return desk.start(
        new NewRelease(which, canary, List.of(0), null, Retries.RESET, Conversation.RESUME), "ann");
  }
}
