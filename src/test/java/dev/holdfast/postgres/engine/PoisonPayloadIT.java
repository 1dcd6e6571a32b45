package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.PoisonPayload;
import dev.holdfast.testing.Refusals;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Issue 20, 1.1: what a payload is as text, and what that may cost others. */
@WithDatabase
@Timeout(120)
@EverySetup
class PoisonPayloadIT {
  private static final String REFUSED = "payload.max-expanded-bytes";

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresTicketInbox inbox;

  PoisonPayloadIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.inbox = new PostgresTicketInbox(database.dataSource());
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred,"
            + " holdfast.leases, holdfast.suspects, holdfast.in_line, holdfast.line_gates,"
            + " holdfast.line_slots");
  }

  private NewTicket ticket(String payload) {
    return NewTicket.ofKind(queue.kind()).withPayload(payload);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  @DisplayName("20.1: the poison is refused with words, whichever way it comes")
  void refused(int way) {
    queue.enqueue();
    for (String poison : List.of(PoisonPayload.UNREADABLE, PoisonPayload.KILLER)) {
      assertThatThrownBy(() -> enqueue(way, poison)).hasStackTraceContaining(REFUSED);
    }
    assertThat(database.number("SELECT count(*) FROM holdfast.ticket_base")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"XX001", "55P03", "40001", "57014", "P0004", "HF409"})
  @DisplayName("20.1: a ticket that the database will not let go holds up no other claim")
  void immovable(String sqlState) {
    List<Long> ids = queue.enqueue(3);
    Refusals refusals = new Refusals(database);
    refusals.refuseClaim(ids.getFirst(), sqlState);
    try {
      assertThat(queue.claim(10)).extracting(ClaimedTicket::id).isEqualTo(ids.subList(1, 3));
      assertThat(queue.claim(10)).isEmpty();
    } finally {
      refusals.end();
    }
    assertThat(queue.claim(10)).extracting(ClaimedTicket::id).containsExactly(ids.getFirst());
  }

  @ParameterizedTest
  @CsvSource({
    "in_line, XX001", "deferred, XX001", "suspects, XX001",
    "in_line, 57014", "deferred, 57014", "suspects, 57014"
  })
  @DisplayName(
      "20.1: nor does one that stands in line with a key, whose time has come or that is suspect")
  void immovableElsewhere(String table, String sqlState) {
    List<Long> ids = standingIn(table);
    Refusals refusals = new Refusals(database);
    refusals.refuseTaking(table, ids.getFirst(), sqlState);
    try {
      assertThat(claimedUntilNoneIsLeft()).containsExactlyInAnyOrderElementsOf(ids.subList(1, 4));
    } finally {
      refusals.end();
    }
    assertThat(claimedUntilNoneIsLeft()).containsExactly(ids.getFirst());
  }

  /** Three of them; the last one of four is ready. */
  private List<Long> standingIn(String table) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(
          database.number(
              "SELECT holdfast.enqueue_ticket(kind => ?, concurrency_key => ?, run_at => ?)",
              queue.kind(),
              table.equals("in_line") ? "one key" : null,
              table.equals("deferred") ? OffsetDateTime.now(ZoneOffset.UTC).plusHours(1) : null));
    }
    ids.add(queue.enqueue());
    if (table.equals("deferred")) {
      database.run(
          """
          WITH d AS (UPDATE holdfast.deferred SET run_at = now() WHERE kind = ? RETURNING id, run_at)
          UPDATE holdfast.ticket_base b SET retry_after = d.run_at FROM d WHERE b.id = d.id
          """,
          queue.kind());
    } else if (table.equals("suspects")) {
      database.run(
          """
          WITH gone AS (DELETE FROM holdfast.ready WHERE kind = ? AND id <> ? RETURNING *)
          INSERT INTO holdfast.suspects (priority, created_at, id, queue, kind)
          SELECT priority, created_at, id, queue, kind FROM gone
          """,
          queue.kind(),
          ids.getLast());
    }
    return ids;
  }

  private List<Long> claimedUntilNoneIsLeft() {
    List<Long> claimed = new ArrayList<>();
    for (List<ClaimedTicket> some = queue.claim(10); !some.isEmpty(); some = queue.claim(10)) {
      some.forEach(each -> claimed.add(each.id()));
    }
    return claimed;
  }

  private void enqueue(int way, String payload) {
    switch (way) {
      case 0 -> inbox.enqueue(ticket(payload));
      case 1 -> inbox.enqueueAll(List.of(ticket(payload)).iterator());
      case 2 ->
          database.run(
              "SELECT holdfast.enqueue_ticket(kind => ?, payload => ?::jsonb)",
              queue.kind(),
              payload);
      default ->
          database.run(
              "INSERT INTO holdfast.tickets (kind, payload) VALUES (?, ?::jsonb)",
              queue.kind(),
              payload);
    }
  }

  @Test
  @DisplayName("20.1: tiny numbers and many zeros are numbers with many digits too")
  void tinyNumbers() {
    String zeros = "[" + "0e-16383,".repeat(1_999) + "1e-16383]";
    assertThatThrownBy(() -> inbox.enqueue(ticket(zeros)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(REFUSED);
    assertThatThrownBy(() -> enqueue(2, zeros)).hasStackTraceContaining(REFUSED);
  }

  @Test
  @DisplayName("20.1: a payload cannot be changed into poison, with no trigger's help either")
  void changed() {
    long id = queue.enqueue();
    assertThatThrownBy(
            () ->
                database.run(
                    "UPDATE holdfast.ticket_base SET payload = ?::jsonb WHERE id = ?",
                    PoisonPayload.KILLER,
                    id))
        .hasStackTraceContaining(REFUSED);
  }

  @Test
  @DisplayName("20.1: a number of 1,501 digits is stored, listed, claimed and read")
  void longNumber() {
    long id = inbox.enqueue(ticket("{\"n\": 1e1500}"));

    PostgresTicketReader reader = new PostgresTicketReader(database.dataSource());
    assertThat(reader.list(TicketFilter.all(100))).hasSize(1);
    assertThat(reader.find(id)).isPresent();
    assertThat(queue.claim(5))
        .singleElement()
        .satisfies(each -> assertThat(each.ticket().payload()).hasSizeGreaterThan(1_500));
  }

  @Test
  @DisplayName("20.1: a poison row among innocents fails no claim; it is named with its column")
  void claim() {
    List<Long> innocents = new ArrayList<>(queue.enqueue(3));
    long unreadable = PoisonPayload.smuggle(database, queue.kind(), PoisonPayload.UNREADABLE);
    long killer = PoisonPayload.smuggle(database, queue.kind(), PoisonPayload.KILLER);
    innocents.addAll(queue.enqueue(3));

    List<Long> claimed = new ArrayList<>();
    List<Long> held = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Claim claim = queue.queue().claim(queue.request(100));
      claim.tickets().forEach(each -> claimed.add(each.id()));
      claim
          .unreadable()
          .forEach(
              each -> {
                assertThat(queue.queue().finish(List.of(each), Set.of(each.leaseNo())))
                    .hasOnlyElementsOfType(FinishResult.Held.class);
                held.add(each.ticketId());
              });
    }

    assertThat(claimed).containsExactlyInAnyOrderElementsOf(innocents);
    assertThat(held).containsExactlyInAnyOrder(unreadable, killer);
    for (long id : List.of(unreadable, killer)) {
      assertThat(
              database.rowOf(
                  "SELECT state, hold_reason, error FROM holdfast.tickets WHERE id = ?", id))
          .containsEntry("state", "on_hold")
          .extractingByKey("error")
          .asString()
          .contains("payload");
      assertThat(
              database.value(
                  "SELECT details->>'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ?",
                  id))
          .isEqualTo("poison");
    }
    assertThat(new PostgresTicketReader(database.dataSource()).list(TicketFilter.all(100)))
        .hasSize(8);
  }

  /** It takes seconds: PostgreSQL gives up behind a gigabyte, and it is asked more than once. */
  @Test
  @Tag("slow")
  @DisplayName("20.1: a measure that lies does not fail the claim either")
  void lie() {
    List<Long> innocents = queue.enqueue(3);
    long poison = PoisonPayload.smuggle(database, queue.kind(), PoisonPayload.UNREADABLE);
    database.run("UPDATE holdfast.ticket_base SET payload_bytes = 2 WHERE id = ?", poison);

    Claim claim = queue.queue().claim(queue.request(100));

    assertThat(claim.tickets()).extracting(ClaimedTicket::id).containsAll(innocents);
    assertThat(claim.unreadable()).extracting(each -> each.ticketId()).containsExactly(poison);
    assertThat(claim.unreadable().getFirst().failure().message())
        .contains("its payload cannot be read");
    queue.queue().finish(claim.unreadable(), Set.of());
  }

  @Test
  @DisplayName("20.1: claims are bounded by bytes as well as by count, and lose nothing by it")
  void bytes() {
    List<Long> large = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      large.add(inbox.enqueue(ticket("\"" + "x".repeat(100_000) + "\"")));
    }
    List<Long> small = queue.enqueue(3);

    List<ClaimedTicket> first = claimWithin(new Room(250_000, 1 << 20, 1));
    assertThat(first).hasSize(6);
    assertThat(first).extracting(ClaimedTicket::id).containsAll(large.subList(0, 3));
    assertThat(first).extracting(ClaimedTicket::id).containsAll(small);
    assertThat(claimWithin(new Room(0, 1 << 20, 1))).isEmpty();
    assertThat(claimWithin(new Room(1, 1 << 20, 1)))
        .extracting(ClaimedTicket::id)
        .containsExactly(large.get(3));
  }

  private List<ClaimedTicket> claimWithin(Room room) {
    return queue.queue().claim(queue.request(100).within(room)).tickets();
  }
}
