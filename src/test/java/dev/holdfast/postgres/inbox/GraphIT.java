package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@WithDatabase
@EverySetup
@DisplayName("A graph of tickets")
class GraphIT {
  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;
  private final TestTickets tickets;
  private final String kind = "graph-" + UUID.randomUUID();

  GraphIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.desk = new PostgresTicketDesk(pool);
    this.tickets = new TestTickets(pool);
  }

  private Named named(@Nullable String name, String... after) {
    return new Named(name, NewTicket.ofKind(kind), List.of(after));
  }

  private List<ClaimedTicket> claim() {
    Claim claim =
        tickets
            .queue()
            .claim(
                new ClaimRequest("worker-1", Set.of(kind), Set.of(), 100, Duration.ofMinutes(5)));
    return claim.tickets();
  }

  private void finish(ClaimedTicket ticket, @Nullable String result, boolean review) {
    tickets
        .queue()
        .finish(
            List.of(
                new Finish.Succeeded(
                    ticket.id(),
                    ticket.lease().no(),
                    result,
                    review ? Review.HUMAN : Review.NONE,
                    null)),
            List.of());
  }

  private List<Long> ids(List<ClaimedTicket> claimed) {
    return claimed.stream().map(ClaimedTicket::id).toList();
  }

  private long count() {
    return database.number("SELECT count(*) FROM holdfast.ticket_base WHERE kind = '" + kind + "'");
  }

  @Test
  @DisplayName("is enqueued in any order, runs by it, and gives the results by name")
  void runsInOrder() {
    List<Long> ids =
        inbox.enqueueGraph(
            List.of(named("report", "fetch", "clean"), named("clean", "fetch"), named("fetch")));
    List<ClaimedTicket> first = claim();
    assertThat(ids(first)).containsExactly(ids.get(2));
    assertThat(first.getFirst().results()).isNull();
    finish(first.getFirst(), "{\"items\": [1, 2]}", false);
    List<ClaimedTicket> second = claim();
    assertThat(ids(second)).containsExactly(ids.get(1));
    assertThat(second.getFirst().results()).isEqualTo("{\"fetch\": {\"items\": [1, 2]}}");
    finish(second.getFirst(), null, false);
    List<ClaimedTicket> third = claim();
    assertThat(ids(third)).containsExactly(ids.getFirst());
    assertThat(third.getFirst().results())
        .isEqualTo("{\"clean\": null, \"fetch\": {\"items\": [1, 2]}}");
    long later =
        inbox
            .enqueueGraph(
                List.of(
                    new Named(
                        null,
                        NewTicket.ofKind(kind).withAfter(Map.of("again", ids.get(2))),
                        List.of())))
            .getFirst();
    assertThat(claim())
        .singleElement()
        .satisfies(
            claimed -> {
              assertThat(claimed.id()).isEqualTo(later);
              assertThat(claimed.results()).isEqualTo("{\"again\": {\"items\": [1, 2]}}");
            });
  }

  @ParameterizedTest
  @DisplayName("is refused as a whole, in words, where it makes no sense")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{\"name\":\"a\",\"kind\":\"K\",\"after\":[\"b\"]},{\"name\":\"b\",\"kind\":\"K\",\"after\":[\"c\"]},{\"name\":\"c\",\"kind\":\"K\",\"after\":[\"b\"]}]|these"
            + " tickets wait for each other in a circle: b after c after b",
        "[{\"name\":\"a\",\"kind\":\"K\",\"after\":[\"a\"]}]|ticket \"a\" waits for itself",
        "[{\"kind\":\"K\",\"after\":[\"x\"]}]"
            + "|ticket 1 of the list waits for \"x\", and no ticket here has that name",
        "[{\"kind\":\"K\"},{\"kind\":\"K\",\"after\":[999999999]}]"
            + "|ticket 2 of the list: there is no ticket 999999999 to wait for",
        "[{\"name\":\"a\",\"kind\":\"K\"},{\"name\":\"a\",\"kind\":\"K\"}]"
            + "|two tickets have the name \"a\"",
        "[{\"name\":\"a b\",\"kind\":\"K\"}]|\"a b\" cannot name a ticket",
        "[{\"kind\":\"K\",\"after\":[1.5]}]|ticket 1 of the list cannot wait for 1.5",
        "[{\"kind\":\"K\",\"after\":{\"a\":\"b\"}}]|ticket 1 of the list cannot wait for {\"a\":"
            + " \"b\"}",
        "[{\"kind\":\"K\",\"after\":[{\"a\":-1}]}]|ticket 1 of the list cannot wait for {\"a\":"
            + " -1}",
        "[{\"kind\":\"K\",\"after\":{\"a b\":999999999}}]|ticket 1 of the list: \"a b\" cannot name"
            + " a ticket",
        "[{\"kind\":\"K\",\"after_batch\":999999999}]|ticket 1 of the list: there is no batch"
            + " 999999999 to wait for",
        "[{\"name\":\"a\",\"kind\":\"K\",\"unique_key\":\"K\"},{\"name\":\"b\",\"kind\":\"K\",\"unique_key\":\"K\"},{\"name\":\"c\",\"kind\":\"K\",\"after\":[\"a\",\"b\",\"a\"]}]|has"
            + " two names in after",
        "[{\"kind\":\"K\",\"after\":\"a\"}]|has an \"after\" that is no list",
        "[{\"kind\":\"K\",\"afer\":[]}]|has the unknown key \"afer\"",
        "[{\"kind\":\"K\",\"priority\":\"much\"}]|ticket 1 of the list: invalid input syntax",
        "[{\"kind\":\"K\",\"on_cancelled\":\"explode\",\"after\":[]}]"
            + "|on_cancelled cannot be \"explode\"",
        "[7]|ticket 1 of the list is no JSON object",
        "{}|the tickets must be a JSON array",
      })
  void refused(String json, String message) {
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT * FROM holdfast.enqueue_tickets(?::jsonb)", json.replace("K", kind)))
        .hasStackTraceContaining(message);
    assertThat(count()).isZero();
  }

  @Test
  @DisplayName("may be a chain of thousands; longer ones and too many predecessors are refused")
  void large() {
    List<Named> chain = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      chain.add(i == 0 ? named("t0") : named("t" + i, "t" + (i - 1)));
    }
    inbox.enqueueGraph(chain.reversed());
    assertThat(count()).isEqualTo(2_000);
    assertThat(claim()).hasSize(1);
    chain.set(0, named("t0", "t1999"));
    assertThatThrownBy(() -> inbox.enqueueGraph(chain))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("in a circle: t0 after t1999 after t1998")
        .hasMessageContaining(" and 1989 more");
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT * FROM holdfast.enqueue_tickets((SELECT jsonb_agg('{}'::jsonb) FROM"
                        + " generate_series(1, 100000)))"))
        .hasStackTraceContaining("at most 10000 tickets are enqueued as one graph, not 100000");
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT * FROM holdfast.enqueue_tickets(jsonb_build_array(jsonb_build_object("
                        + "'kind', 'k', 'after', (SELECT jsonb_agg(g) FROM generate_series(1,"
                        + " 100000) g))))"))
        .hasStackTraceContaining("10000 others at most, not for 100000");
  }

  @Test
  @DisplayName("may be cancelled as a whole, however long the chain")
  void longChainCancelled() {
    List<Named> chain = new ArrayList<>();
    NewTicket ticket =
        NewTicket.ofKind(kind).withFollowing(new Following(Map.of(), OnCancelled.CANCEL));
    chain.add(named("t0"));
    for (int i = 1; i < 500; i++) {
      chain.add(new Named("t" + i, ticket, List.of("t" + (i - 1))));
    }
    desk.cancel(inbox.enqueueGraph(chain).getFirst(), "carl", null);
    assertThat(
            database.column("SELECT DISTINCT state FROM holdfast.ticket_base WHERE kind = ?", kind))
        .containsExactly("cancelled");
  }

  @Test
  @DisplayName("goes on as was said at enqueue when one of it is cancelled")
  void cancelled() {
    long first = inbox.enqueue(NewTicket.ofKind(kind));
    long run = after(first, OnCancelled.RUN);
    long cancel = after(first, OnCancelled.CANCEL);
    long held = after(first, OnCancelled.HOLD);
    long chained = after(cancel, OnCancelled.CANCEL);
    desk.cancel(first, "carl", null);
    assertThat(ids(claim())).containsExactly(run);
    assertThat(state(cancel)).isEqualTo("cancelled");
    assertThat(state(chained)).isEqualTo("cancelled");
    assertThat(state(held)).isEqualTo("on_hold");
    assertThat(
            database.value(
                "SELECT actor || ': ' || (details->>'reason') FROM holdfast.ticket_activity WHERE"
                    + " action = 'cancelled' AND ticket_id = ?",
                cancel))
        .isEqualTo("carl: #" + first + ", which it waits for, was cancelled");
    assertThat(after(cancel, OnCancelled.RUN)).isPositive();
    assertThatThrownBy(() -> after(cancel, OnCancelled.HOLD))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("ticket " + cancel + " is cancelled; nothing can wait for it");
  }

  private long after(long first, OnCancelled policy) {
    return inbox.enqueue(
        NewTicket.ofKind(kind)
            .withAfter(List.of(first))
            .withFollowing(new Following(Map.of(), policy)));
  }

  private String state(long id) {
    return database.value("SELECT state FROM holdfast.tickets WHERE id = ?", id);
  }

  @Test
  @DisplayName("does not wait for reviews where the design says after: success")
  void afterSuccess() {
    String design = "eager-" + UUID.randomUUID();
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, '"
            + kind
            + "', '{\"after\": \"success\"}')",
        design);
    long first = inbox.enqueue(NewTicket.ofKind(kind));
    long patient = inbox.enqueue(NewTicket.ofKind(kind).withAfter(List.of(first)));
    long eager = inbox.enqueue(NewTicket.ofDesign(design).withAfter(List.of(first)));
    finish(claim().getFirst(), "1", true);
    assertThat(ids(claim())).containsExactly(eager);
    long late = inbox.enqueue(NewTicket.ofDesign(design).withAfter(List.of(first)));
    assertThat(ids(claim())).containsExactly(late);
    desk.approve(first, "ann");
    assertThat(ids(claim())).containsExactly(patient);
  }

  @Test
  @DisplayName("20.1: gives a worker no more results at a time than it has room for")
  void resultsWithinRoom() {
    List<Named> graph = new ArrayList<>(List.of(named("a"), named("b")));
    for (int i = 0; i < 6; i++) {
      graph.add(named(null, "a", "b"));
    }
    List<Long> followers = inbox.enqueueGraph(graph).subList(2, 8);
    String text = "\"" + "x".repeat(50_000) + "\"";
    claim().forEach(each -> finish(each, text, false));

    assertThat(ids(claimWithin(250_000))).containsExactlyElementsOf(followers.subList(0, 3));
    assertThat(claimWithin(0)).isEmpty();
    assertThat(ids(claimWithin(1))).containsExactly(followers.get(3));
    assertThat(ids(claim())).containsExactlyElementsOf(followers.subList(4, 6));
  }

  private List<ClaimedTicket> claimWithin(long bytes) {
    return tickets
        .queue()
        .claim(
            new ClaimRequest("worker-1", Set.of(kind), Set.of(), 100, Duration.ofMinutes(5))
                .within(new ClaimRequest.Room(bytes, 1 << 20, 1)))
        .tickets();
  }

  @Test
  @Timeout(10)
  @DisplayName("gives results that are long lists of texts without a claim that lasts")
  void resultsOfManyTexts() {
    inbox.enqueueGraph(List.of(named("a"), named("b"), named(null, "a", "b")));
    claim().forEach(each -> finish(each, "1", false));
    database.run(
        "UPDATE holdfast.ticket_base SET result = (SELECT jsonb_agg(i::text) FROM"
            + " generate_series(1, 100000) AS i) WHERE state = 'done' AND kind = ?",
        kind);
    assertThat(claim())
        .singleElement()
        .satisfies(
            claimed ->
                assertThat(claimed.results())
                    .startsWith("{\"a\": [\"1\", \"2\",")
                    .contains("\"100000\"], \"b\": [\"1\", ")
                    .endsWith("\"100000\"]}"));
  }

  @Test
  @DisplayName("whose results are too long holds the follower, which is told so")
  void resultsTooLong() {
    List<Long> ids = inbox.enqueueGraph(List.of(named("a"), named("b", "a")));
    finish(claim().getFirst(), "[1e131000]", false);
    database.run(
        "UPDATE holdfast.ticket_base SET result = (SELECT jsonb_agg('1e131000'::numeric) FROM"
            + " generate_series(1, 200)) WHERE id = ?",
        ids.getFirst());
    Claim claim =
        tickets
            .queue()
            .claim(
                new ClaimRequest("worker-1", Set.of(kind), Set.of(), 100, Duration.ofMinutes(5)));
    assertThat(claim.tickets()).isEmpty();
    tickets.queue().finish(claim.unreadable(), List.of());
    assertThat(
            database.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", ids.getLast()))
        .contains("its results of the tickets before it cannot be read: up to \"a\" of #");
  }
}
