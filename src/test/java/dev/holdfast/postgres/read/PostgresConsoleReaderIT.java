package dev.holdfast.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.inbox.PostgresSpendingDesk;
import dev.holdfast.queue.read.DesignHealth;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.queue.spending.ProviderStatus;
import dev.holdfast.queue.view.HeldGroup;
import dev.holdfast.queue.view.Inbox;
import dev.holdfast.queue.view.InboxQuery;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class PostgresConsoleReaderIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresConsoleReader reader;
  private final PostgresTicketReader tickets;
  private final PostgresSpendingDesk spending;

  PostgresConsoleReaderIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.reader = new PostgresConsoleReader(testDatabase.dataSource());
    this.tickets = new PostgresTicketReader(testDatabase.dataSource());
    this.spending = new PostgresSpendingDesk(testDatabase.dataSource(), "holdfast");
  }

  @BeforeEach
  void empty() {
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases");
  }

  private List<Long> hold(int count, String error, String category, int hoursAgo) {
    return database
        .column(
            "INSERT INTO holdfast.tickets (kind, title, state, error, error_category,"
                + " error_fingerprint, held_at) SELECT 'manual', 'held ' || n, 'on_hold', ?, ?,"
                + " ?, now() - ? * interval '1 hour' FROM generate_series(1, ?) n RETURNING id",
            error,
            category,
            "print of " + error,
            hoursAgo,
            count)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  private Inbox inbox() {
    return reader.inbox(new InboxQuery(null, null, null, 0, 50));
  }

  private void assertHeldIsTrue() {
    assertThat(
            database.rows(
                """
                SELECT h.id, b.id AS base FROM holdfast.held h
                FULL JOIN (SELECT * FROM holdfast.ticket_base WHERE held_at IS NOT NULL) b
                  ON (b.id, b.held_at, b.queue, b.kind, COALESCE(b.error_category, ''),
                      COALESCE(b.error_fingerprint, ''))
                    = (h.id, h.held_at, h.queue, h.kind, h.category, h.fingerprint)
                WHERE h.id IS NULL OR b.id IS NULL
                """))
        .as("held and ticket_base")
        .isEmpty();
  }

  @Test
  @DisplayName("held tickets are grouped by error, the largest group first, with when and why")
  void groups() {
    hold(2, "small", "transient", 30);
    List<Long> large = hold(3, "large", "code_error", 2);
    hold(2, "large", "code_error", 0);

    Inbox inbox = inbox();
    assertThat(inbox.groupCount()).isEqualTo(2);
    assertThat(inbox.ticketCount()).isEqualTo(7);
    HeldGroup first = inbox.groups().getFirst();
    assertThat(first.tickets()).isEqualTo(5);
    assertThat(first.errorTitle()).isEqualTo("large");
    assertThat(first.byHour()).hasSize(24);
    assertThat(first.byHour().get(21)).isEqualTo(3);
    assertThat(first.byHour().get(23)).isEqualTo(2);
    assertThat(inbox.groups().get(1).byHour()).as("held before that day").containsOnly(0L);
    assertThat(reader.groupSize("print of large", "code_error")).isEqualTo(5);
    assertThat(reader.heldCount()).isEqualTo(7);
    assertThat(
            tickets.heldIds(
                group("print of large", "code_error", 1), 0, tickets.now().minusSeconds(3600), 10))
        .as("those that were held by then")
        .isEqualTo(large);
  }

  @Test
  @DisplayName("a ticket held by hand has no error and a group of its own sort")
  void withoutError() {
    database.run(
        "INSERT INTO holdfast.tickets (kind, state, hold_reason) VALUES ('manual', 'on_hold',"
            + " 'no')");
    HeldGroup group = inbox().groups().getFirst();
    assertThat(group.fingerprint()).isEmpty();
    assertThat(group.errorTitle()).isNull();
    assertThat(group.holdReason()).isEqualTo("no");
    assertThat(tickets.window(group("", "", 10)).tickets()).hasSize(1);
  }

  @Test
  @DisplayName("the table of held tickets follows every hold, edit, release, cancel and removal")
  void heldFollows() {
    List<Long> ids = hold(6, "x", "unknown", 1);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", ids.get(0));
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", ids.get(1));
    database.run("UPDATE holdfast.tickets SET error_category = NULL WHERE id = ?", ids.get(2));
    database.run("UPDATE holdfast.tickets SET queue = 'other' WHERE id = ?", ids.get(3));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'why')", queue.enqueue());
    assertThat(reader.heldCount()).isEqualTo(5);
    assertHeldIsTrue();
    database.run("DELETE FROM holdfast.ticket_base WHERE id = ?", ids.get(4));
    assertHeldIsTrue();
    database.run("TRUNCATE holdfast.ticket_base");
    assertThat(reader.heldCount()).isZero();
  }

  @Test
  @DisplayName("pages of tickets go on where the last one ended, without gap or double")
  void pages() {
    List<Long> ids = new ArrayList<>(hold(7, "p", "unknown", 0));
    ids.add(queue.enqueue());
    for (TicketState state : new TicketState[] {TicketState.ON_HOLD, null}) {
      List<Long> seen = new ArrayList<>();
      TicketFilter query = TicketFilter.all(3).withState(state);
      for (Long before = null; ; ) {
        TicketWindow window =
            tickets.window(TicketFilter.all(3).withState(state).withBeforeId(before));
        window.tickets().stream().map(TicketSummary::id).forEach(seen::add);
        assertThat(window.wasCut()).isFalse();
        if (window.next() == null) {
          break;
        }
        before = window.next();
      }
      assertThat(query.limit()).isEqualTo(3);
      assertThat(seen)
          .as("%s", state)
          .isEqualTo((state == null ? ids : ids.subList(0, 7)).reversed());
    }
  }

  @Test
  @DisplayName("each filter leaves what it says; text is a part of the title or of the key")
  void filters() {
    long id = hold(1, "f", "api_error", 0).getFirst();
    hold(1, "g", "transient", 0);
    long running = queue.enqueue();
    queue.claim();
    database.run(
        "UPDATE holdfast.ticket_base SET title = '100%_done\\', unique_key = 'Key-9' WHERE id = ?",
        id);
    assertThat(found("100%_", null)).containsExactly(id);
    assertThat(found("%_d%", null)).isEmpty();
    assertThat(found("done\\", null)).containsExactly(id);
    assertThat(found("key-9", null)).containsExactly(id);
    assertThat(found("key-", null)).containsExactly(id);
    assertThat(found("kex-", null)).isEmpty();
    assertThat(found(null, TicketState.IN_PROGRESS)).containsExactly(running);
    assertThat(found(null, TicketState.READY)).isEmpty();
    assertThat(found(null, TicketState.ON_HOLD)).hasSize(2);
    TicketFilter later =
        new TicketFilter(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            Instant.parse("2090-01-01T00:00:00Z"),
            null,
            null,
            null,
            null,
            9);
    assertThat(tickets.window(later).tickets()).isEmpty();
  }

  private static TicketFilter group(String fingerprint, String category, int limit) {
    return TicketFilter.all(limit).withState(TicketState.ON_HOLD).withError(category, fingerprint);
  }

  private List<Long> found(@Nullable String text, @Nullable TicketState state) {
    TicketFilter query = TicketFilter.all(9).withState(state);
    return tickets.window(text == null ? query : query.withText(text)).tickets().stream()
        .map(TicketSummary::id)
        .toList();
  }

  @Test
  @DisplayName("providers that need a person come first; a budget of yesterday is unspent today")
  void providers() {
    database.run(
        """
        INSERT INTO holdfast.provider_cooldowns (provider, key_id, until, reason, detail, reported_by)
        VALUES ('a', 'k', now() + interval '1 hour', 'rate_limit', 'slow down', 'w'),
          ('b', '', 'infinity', 'auth', 'invalid key', 'w'), ('c', '', NULL, 'outage', '', 'w')
        """);
    database.run(
        "INSERT INTO holdfast.budgets (scope, per, limit_usd, spent_usd, day, changed_by) VALUES"
            + " ('day', 'day', 10, 4, '2020-01-01', 'x'), ('design:d', 'total', 9, 3, '2020-01-01',"
            + " 'x')");
    assertThat(reader.providers())
        .extracting(ProviderStatus::provider)
        .containsExactly("b", "a", "c");
    assertThat(reader.providers().getFirst().needsPerson()).isTrue();
    assertThat(reader.providers().getFirst().until()).isNull();
    assertThat(reader.providers().get(1).until()).isAfter(tickets.now());
    assertThat(spending.budgets())
        .extracting(budget -> budget.scope() + " " + budget.spentUsd().intValue())
        .containsExactly("day 0", "design:d 3");
  }

  @Test
  @DisplayName(
      "issue 19: an outage that people were told of is shown while some ticket waits for it, on"
          + " hold or not, and no longer")
  void outages() {
    database.run(
        """
        INSERT INTO holdfast.provider_cooldowns (provider, until, reason, detail, rounds, reported_by, told_at)
        VALUES ('gone', now(), 'outage', 'HTTP 503', 9, 'w', now())
        """);
    assertThat(reader.outages()).as("nothing waits").isEmpty();
    long id = waiting("provider", "ready", null);
    assertThat(reader.outages())
        .singleElement()
        .asString()
        .startsWith("gone has not answered since ")
        .endsWith(" (outage: HTTP 503)");
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'the budget is spent')", id);
    assertThat(reader.outages()).as("held for another reason").isEmpty();
    id = waiting("outage", "on_hold", "provider_unavailable: gone");
    assertThat(reader.outages()).as("held for it").hasSize(1);
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", id);
    assertThat(reader.outages()).as("cancelled").isEmpty();
    database.run("DELETE FROM holdfast.provider_cooldowns");
  }

  private long waiting(String kind, String state, @Nullable String reason) {
    long id =
        database.number(
            "INSERT INTO holdfast.tickets (kind, state, hold_reason) VALUES ('patient', ?, ?)"
                + " RETURNING id",
            state,
            reason);
    database.run(
        "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words) VALUES (?, 0,"
            + " ?, '{gone/abc/}', 'gone')",
        id,
        kind);
    return id;
  }

  @Test
  @DisplayName("22.5: designs have their versions, and what became of their tickets")
  void designs() {
    database.run(
        """
        WITH put AS (
          INSERT INTO holdfast.designs (name, version, kind, definition)
          VALUES ('counted', 1, 'old', '{}'), ('counted', 2, 'new', '{}') RETURNING id, version)
        SELECT count(*) FROM put
        """);
    database.run(
        """
        INSERT INTO holdfast.tickets (design, design_version, state)
        VALUES ('counted', 1, 'done'), ('counted', 2, 'needs_review'), ('counted', 2, 'on_hold'), ('counted', 2, 'ready')
        """);
    assertThat(reader.designs())
        .filteredOn(each -> each.name().equals("counted"))
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each).isEqualTo(new DesignHealth("counted", "new", 2, 2, 4, 2, 1, null));
              assertThat(each.successRate()).isEqualTo("67 %");
            });
  }
}
