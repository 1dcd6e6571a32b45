package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("A ticket that expires")
class ExpiryIT {
  private static final Expiry LATER = new Expiry.In(Duration.ofHours(2));

  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final TestTickets tickets;
  private final String kind = "expires-" + UUID.randomUUID();

  ExpiryIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.tickets = new TestTickets(pool);
  }

  /** The tests share a database, and a look at what has expired takes the tickets of all. */
  @BeforeEach
  void alone() {
    database.run("DELETE FROM holdfast.ticket_deadlines");
  }

  private NewTicket ticket() {
    return NewTicket.ofKind(kind);
  }

  private long expiring() {
    return inbox.enqueue(ticket().withExpiry(LATER));
  }

  private List<ClaimedTicket> claim() {
    Claim claim =
        tickets
            .queue()
            .claim(
                new ClaimRequest("worker-1", Set.of(kind), Set.of(), 100, Duration.ofMinutes(5)));
    return claim.tickets();
  }

  private List<Long> claimedIds() {
    return claim().stream().map(ClaimedTicket::id).toList();
  }

  /** Lets its time come now: the database's clock decides, and nobody turns that one. */
  private void expire(long... ids) {
    for (long id : ids) {
      database.run(
          "UPDATE holdfast.ticket_deadlines SET expires_at = now() - interval '1 s' WHERE ticket_id"
              + " = ?",
          id);
    }
  }

  private String row(long id) {
    return database.value(
        "SELECT state || '|' || COALESCE(hold_reason, '') FROM holdfast.tickets WHERE id = ?", id);
  }

  private long deadlines() {
    return Long.parseLong(
        database.value(
            "SELECT count(*)::text FROM holdfast.ticket_deadlines d JOIN holdfast.tickets t ON t.id"
                + " = d.ticket_id WHERE t.kind = ?",
            kind));
  }

  @Test
  @DisplayName("is claimed before its time, and its time then changes nothing")
  void startedInTime() {
    long id = expiring();
    ClaimedTicket claimed = claim().getFirst();

    expire(id);

    assertThat(tickets.queue().holdExpired(100)).isEmpty();
    assertThat(row(id)).startsWith("in_progress|");
    assertThat(deadlines()).isZero();
    tickets.succeed(id, claimed.lease().no(), false);
    assertThat(row(id)).startsWith("done|");
  }

  @Test
  @DisplayName("is not claimed from its time on, though nobody has held it yet; its neighbours are")
  void notClaimed() {
    long one = expiring();
    long other = inbox.enqueue(ticket());
    long third = expiring();
    expire(one);

    assertThat(claimedIds()).containsExactly(other, third);
    assertThat(claimedIds()).isEmpty();
    assertThat(row(one)).isEqualTo("ready|");
  }

  @Test
  @DisplayName("is put on hold with the cause expired, and a release runs it all the same")
  void held() {
    long now = expiring();
    long delayed = inbox.enqueue(ticket().withDelay(Duration.ofHours(1)).withExpiry(LATER));
    long waiting = inbox.enqueue(ticket().withAfter(List.of(now)).withExpiry(LATER));
    expire(now, delayed, waiting);

    assertThat(tickets.queue().holdExpired(100)).containsExactly(now, delayed, waiting);

    for (long id : List.of(now, delayed, waiting)) {
      assertThat(row(id)).startsWith("on_hold|expired: no worker started it before 20");
    }
    assertThat(
            database.value(
                "SELECT details->>'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " action = 'held'",
                now))
        .isEqualTo("expired");
    assertThat(deadlines()).isZero();
    database.run("SELECT holdfast.release_ticket(?, 'rita')", now);
    assertThat(claimedIds()).containsExactly(now);
  }

  @Test
  @DisplayName("and was started before is tried again after its time as any other")
  void retried() {
    long id = expiring();
    tickets.fail(id, kind, Category.TRANSIENT, "f");
    expire(id);

    assertThat(tickets.queue().holdExpired(100)).isEmpty();

    assertThat(row(id)).isEqualTo("ready|");
    assertThat(deadlines()).isZero();
  }

  @Test
  @DisplayName("that was cancelled, held or deleted before stays so")
  void endedBefore() {
    long cancelled = expiring();
    long parked = expiring();
    database.run("SELECT holdfast.cancel_ticket(?, 'rita')", cancelled);
    database.run("SELECT holdfast.hold_ticket(?, 'rita', 'not yet')", parked);
    expire(cancelled, parked);

    assertThat(tickets.queue().holdExpired(100)).isEmpty();

    assertThat(row(cancelled)).startsWith("cancelled|");
    assertThat(row(parked)).isEqualTo("on_hold|not yet");
    assertThat(deadlines()).isZero();
  }

  @Test
  @DisplayName("and is locked by somebody is left for the next look, which does not wait for it")
  void locked() throws Exception {
    long id = expiring();
    long other = expiring();
    expire(id, other);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT FROM holdfast.ticket_base WHERE id = " + id + " FOR UPDATE");
      assertThat(tickets.queue().holdExpired(100)).hasSize(1);
      connection.rollback();
    }
    assertThat(row(other)).startsWith("on_hold|");
    assertThat(tickets.queue().holdExpired(100)).hasSize(1);
    assertThat(row(id)).startsWith("on_hold|");
  }

  @Test
  @DisplayName("and that a trigger refuses to hold is left as it is; the others are held")
  void refusedByTrigger() {
    long first = expiring();
    long sick = expiring();
    long last = expiring();
    expire(first, sick, last);
    database.run(
        """
        CREATE FUNCTION public.refuse_hold() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'not on a Sunday'; END $$;
        CREATE TRIGGER refuse_hold BEFORE UPDATE ON holdfast.ticket_base FOR EACH ROW
          WHEN (NEW.id = %s AND NEW.state = 'on_hold') EXECUTE FUNCTION public.refuse_hold();
        """
            .formatted(sick));
    try {
      assertThat(tickets.queue().holdExpired(100)).hasSize(2);
      assertThat(tickets.queue().holdExpired(100)).isEmpty();
    } finally {
      database.run("DROP FUNCTION public.refuse_hold() CASCADE");
    }
    assertThat(row(first)).startsWith("on_hold|expired: ");
    assertThat(row(last)).startsWith("on_hold|expired: ");
    assertThat(row(sick)).isEqualTo("ready|");
    assertThat(tickets.queue().holdExpired(100)).hasSize(1);
  }

  @Test
  @DisplayName("is refused where it could never start, and among many, with words that say why")
  void refused() {
    assertThatThrownBy(
            () -> inbox.enqueue(ticket().withExpiry(new Expiry.At(Instant.EPOCH.plusSeconds(9)))))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expires_at must be in the future, not 1970");
    assertThatThrownBy(
            () -> inbox.enqueue(ticket().withDelay(Duration.ofHours(3)).withExpiry(LATER)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("a ticket that may start at")
        .hasMessageContaining("Let it expire later, or start earlier.");
    for (Duration bad : List.of(Duration.ZERO, Duration.ofDays(-1), Duration.ofDays(40_000))) {
      assertThatThrownBy(() -> inbox.enqueue(ticket().withExpiry(new Expiry.In(bad))))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("a ticket expires after more than 0 and at most 36500 days");
    }
    assertThatThrownBy(() -> inbox.enqueue(ticket().withExpiry(new Expiry.At(Instant.MAX))))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("from 1970 to 9999");
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT holdfast.enqueue_ticket(kind => ?, expires_at => 'infinity')", kind))
        .rootCause()
        .hasMessageContaining("expires_at must be in the future, not infinity");
    assertThatThrownBy(
            () ->
                inbox.enqueueAll(
                    List.of(ticket(), ticket().withDelay(Duration.ofHours(3)).withExpiry(LATER))
                        .iterator()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ticket 2: a ticket that expires at")
        .hasMessageContaining("could never start");
    assertThat(claimedIds()).isEmpty();
  }

  @Test
  @DisplayName(
      "may be one of many, with a unique key or without, or expire because its design says so")
  void ofManyOrOfADesign() {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?,"
            + " '{\"expires\": \"2h\"}')",
        kind,
        kind);
    NewTicket designed = NewTicket.ofDesign(kind);
    inbox.enqueueAll(List.of(ticket(), ticket().withExpiry(LATER), designed).iterator());
    inbox.enqueueAll(
        List.of(ticket().withExpiry(LATER).withUniqueKey(kind), designed.withExpiry(LATER))
            .iterator());
    inbox.enqueue(designed);
    database.run("INSERT INTO holdfast.tickets (design) VALUES (?)", kind);

    assertThat(deadlines()).isEqualTo(6);
    assertThat(
            database.column(
                "SELECT DISTINCT round(extract(epoch FROM d.expires_at - t.created_at))::text FROM"
                    + " holdfast.ticket_deadlines d JOIN holdfast.tickets t ON t.id = d.ticket_id"
                    + " AND t.expires_at = d.expires_at WHERE t.kind = ?",
                kind))
        .containsExactly("7200");
  }
}
