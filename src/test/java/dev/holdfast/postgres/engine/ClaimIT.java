package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class ClaimIT {
  private static final Duration LEASE = Duration.ofMinutes(5);

  private final TicketDatabase database;
  private final TestQueue queue;

  ClaimIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private long insert(String columns, String values) {
    return database.number(
        "INSERT INTO holdfast.tickets (kind, "
            + columns
            + ") VALUES ('"
            + queue.kind()
            + "', "
            + values
            + ") RETURNING id");
  }

  private List<Long> claimed(int limit) {
    return queue.claim(limit).stream().map(ClaimedTicket::id).toList();
  }

  @Test
  @DisplayName("A38: claims ready tickets of agents that are due, and nothing else")
  void dueTickets() {
    long plain = insert("title", "'plain'");
    long due = insert("retry_after", "now() - interval '1 second'");
    insert("retry_after", "now() + interval '1 hour'");
    insert("assignee_type", "'human'");
    insert("assignee_type", "NULL");
    insert("state", "'on_hold'");
    insert("state", "'needs_review'");
    insert("state", "'done'");
    insert("state", "'cancelled'");

    assertThat(claimed(10)).containsExactlyInAnyOrder(plain, due);
    assertThat(claimed(10)).isEmpty();
  }

  @Test
  @DisplayName("the notices of somebody's trigger are no errors of a claim")
  void notices() {
    database.run(
        "CREATE FUNCTION public.noisy() RETURNS trigger LANGUAGE plpgsql"
            + " AS $$ BEGIN RAISE NOTICE 'noted'; RETURN OLD; END $$");
    database.run(
        "CREATE TRIGGER noisy BEFORE DELETE ON holdfast.ready"
            + " FOR EACH ROW EXECUTE FUNCTION public.noisy()");
    long id = insert("title", "'plain'");
    try (LogLines log = new LogLines(ClaimCall.class)) {
      assertThat(claimed(10)).containsExactly(id);
      assertThat(log.of(Level.ERROR)).doesNotContain("noted");
    } finally {
      database.run("DROP FUNCTION public.noisy() CASCADE");
    }
  }

  @Test
  @DisplayName("A39: priority DESC, then created_at, then id")
  void order() {
    long low = insert("priority, created_at", "-1, '2020-01-01'");
    long newer = insert("priority, created_at", "0, '2020-01-03'");
    long older = insert("priority, created_at", "0, '2020-01-02'");
    long twin = insert("priority, created_at", "0, '2020-01-03'");
    long high = insert("priority, created_at", "7, '2020-01-04'");

    assertThat(claimed(10)).containsExactly(high, older, newer, twin, low);
  }

  @Test
  @DisplayName("A39: the order holds across queues, and a limit takes the first of all of them")
  void orderAcrossQueues() {
    long second = insert("queue, priority", "'one', 1");
    long first = insert("queue, priority", "'two', 2");
    long third = insert("queue, priority", "'one', 0");

    assertThat(claimed(2)).containsExactly(first, second);
    assertThat(claimed(2)).containsExactly(third);
  }

  private List<Long> claimedBehind(int limit, Long... after) {
    return queue
        .queue()
        .claim(queue.request(limit).narrowedTo(limit, List.of(after)))
        .tickets()
        .stream()
        .map(ClaimedTicket::id)
        .toList();
  }

  @Test
  @DisplayName(
      "A39: a claim behind others keeps the order and leaves alone what stands before them")
  void behind() {
    long first = insert("priority", "3");
    long second = insert("priority, created_at", "2147483647, '2020-01-01'");
    long third = insert("priority, created_at", "1, '2020-01-03'");
    long fourth = insert("priority, created_at", "1, '2020-01-03'");
    long last = insert("priority, created_at", "-2147483648, '2020-01-01'");

    assertThat(claimedBehind(1, third)).containsExactly(fourth);
    assertThat(claimedBehind(10, first)).containsExactly(third, last);
    assertThat(claimedBehind(10, first)).isEmpty();
    assertThat(claimed(10)).containsExactly(second, first);
  }

  @Test
  @DisplayName(
      "A39: each lane has its own place; one without, or whose ticket is gone, is claimed whole")
  void behindPerLane() {
    long one = insert("queue, priority", "'lane-one', 5");
    long oneMore = insert("queue, priority", "'lane-one', 4");
    long two = insert("queue, priority", "'lane-two', 9");

    assertThat(claimedBehind(10, one, Long.MAX_VALUE)).containsExactly(two, oneMore);
    assertThat(claimedBehind(10, Long.MAX_VALUE)).containsExactly(one);
  }

  @Test
  @DisplayName("A47: two places in one lane, after somebody moved a ticket, claim nothing twice")
  void behindTwice() {
    long moved = insert("queue, priority", "'lane-a', 9");
    long here = insert("queue, priority", "'lane-b', 5");
    long next = insert("queue, priority", "'lane-b', 4");
    assertThat(claimed(2)).containsExactly(moved, here);
    database.run("UPDATE holdfast.ticket_base SET queue = 'lane-b' WHERE id = ?", moved);

    assertThat(claimedBehind(10, moved, here)).containsExactly(next);
  }

  @Test
  @DisplayName("A40: an explicit limit is honoured")
  void limit() {
    queue.enqueue(12);

    assertThat(claimed(5)).hasSize(5);
    assertThat(claimed(10)).hasSize(7);
  }

  @Test
  @DisplayName("A40: getReadyTickets shows ten in claim order and claims none")
  void readyTickets() {
    List<Long> ids =
        database
            .column(
                "INSERT INTO holdfast.tickets (kind, priority, retry_after)"
                    + " SELECT ?, 1000 - n, CASE WHEN n = 3 THEN now() END"
                    + " FROM generate_series(1, 12) n RETURNING id",
                queue.kind())
            .stream()
            .map(Long::valueOf)
            .toList();

    List<Long> shown =
        new PostgresTicketReader(database.dataSource())
            .getReadyTickets(null, 10).stream().map(TicketSummary::id).toList();

    assertThat(shown).isEqualTo(ids.subList(0, 10));
    assertThat(claimed(20)).isEqualTo(ids);
  }

  @Test
  @DisplayName("A41: a ticket comes with its design, and one without a design comes too")
  void design() {
    long design =
        database.number(
            "INSERT INTO holdfast.designs (name, version, kind, definition)"
                + " VALUES ('greet', 3, ?, '{\"command\": [\"true\"]}') RETURNING id",
            queue.kind());
    insert("priority", "1");
    insert("priority, design_id", "0, " + design);

    List<ClaimedTicket> tickets = queue.claim(10);

    assertThat(tickets.get(0).design()).isEmpty();
    assertThat(tickets.get(1).design())
        .hasValueSatisfying(
            found -> {
              assertThat(found.name()).isEqualTo("greet");
              assertThat(found.version()).isEqualTo(3);
              assertThat(found.definition()).isEqualTo("{\"command\": [\"true\"]}");
            });
  }

  @Test
  @DisplayName("A44: a claimed ticket is in progress under a lease that only grows")
  void lease() {
    long id = queue.enqueue();

    ClaimedTicket claimed = queue.claim(1).getFirst();

    assertThat(database.ticket(id))
        .containsEntry("state", "in_progress")
        .containsEntry("worker_id", TestQueue.WORKER)
        .containsEntry("lease_no", String.valueOf(claimed.lease().no()));
    assertThat(
            database.value(
                "SELECT lease_expires_at - started_at FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("00:05:00");
    assertThat(claimed.lease().expiresAt()).isEqualTo(claimed.lease().claimedAt().plus(LEASE));
    queue.giveBack(id, claimed.lease().no());
    assertThat(database.ticket(id)).containsEntry("worker_id", null);
    assertThat(queue.claim(1).getFirst().lease().no()).isGreaterThan(claimed.lease().no());
  }

  @Test
  @DisplayName("A51: where the numbers of leases were left behind, no ticket is lost")
  void numbersLeftBehind() {
    long id = queue.enqueue();
    long other = queue.enqueue();
    database.run(
        "UPDATE holdfast.ticket_base SET fence = (SELECT last_value + 100 FROM"
            + " holdfast.lease_no_seq) WHERE id = ?",
        id);

    List<ClaimedTicket> claimed = queue.claim(2);

    assertThat(claimed).extracting(ClaimedTicket::id).containsExactly(id, other);
    assertThat(queue.succeed(id, no(claimed))).isInstanceOf(FinishResult.Succeeded.class);
  }

  @Test
  @DisplayName("tickets of one claim share a lease, two claims never do")
  void oneLeasePerClaim() {
    queue.enqueue(4);

    List<ClaimedTicket> first = queue.claim(2);
    List<ClaimedTicket> second = queue.claim(2);

    assertThat(first).extracting(each -> each.lease().no()).hasSize(2).containsOnly(no(first));
    assertThat(second).extracting(each -> each.lease().no()).hasSize(2).containsOnly(no(second));
    assertThat(no(second)).isGreaterThan(no(first));
  }

  private static long no(List<ClaimedTicket> tickets) {
    return tickets.getFirst().lease().no();
  }

  @Test
  @DisplayName("a claim that finds nothing leaves no lease")
  void emptyClaim() {
    long before = database.number("SELECT count(*) FROM holdfast.leases");
    assertThat(claimed(10)).isEmpty();
    assertThat(database.number("SELECT count(*) FROM holdfast.leases")).isEqualTo(before);
  }

  @Test
  @DisplayName("only the asked kinds and queues are claimed")
  void filters() {
    insert("queue", "'mail'");
    long wanted = insert("queue", "'post'");
    database.enqueue("another-" + queue.kind());

    Claim claim =
        queue
            .queue()
            .claim(new ClaimRequest("w", Set.of(queue.kind()), Set.of("post", "x"), 10, LEASE));

    assertThat(claim.tickets()).extracting(ClaimedTicket::id).containsExactly(wanted);
  }

  @Test
  @DisplayName("a paused queue is not claimed from until it is resumed")
  void pause() {
    long id = insert("queue", "'paused'");
    database.run("SELECT holdfast.pause_queue('paused', 'ann')");

    assertThat(claimed(10)).isEmpty();
    assertThat(new PostgresTicketReader(database.dataSource()).getReadyTickets(null, 10_000))
        .extracting(TicketSummary::id)
        .doesNotContain(id);
    database.run("SELECT holdfast.resume_queue('paused', 'ann')");
    assertThat(claimed(10)).containsExactly(id);
  }

  @Test
  @DisplayName("what could be claimed but for a pause waits for its end, and nothing else does")
  void waitsForTheEndOfAPause() {
    long running = insert("queue", "'halted'");
    assertThat(claimed(1)).containsExactly(running);
    long ready = insert("queue", "'halted'");
    long keyed = insert("queue, fairness_key", "'halted', 'acme'");
    long suspect = insert("queue", "'halted'");
    database.run(
        "WITH r AS (DELETE FROM holdfast.ready WHERE id = ? RETURNING *)"
            + " INSERT INTO holdfast.suspects TABLE r",
        suspect);
    long due = insert("queue, retry_after", "'halted', now() + interval '1 hour'");
    database.run("UPDATE holdfast.deferred SET run_at = now() WHERE id = ?", due);
    database.run(
        "UPDATE holdfast.ticket_base b SET retry_after = d.run_at FROM holdfast.deferred d"
            + " WHERE d.id = b.id AND b.id = ?",
        due);
    insert("queue, retry_after", "'halted', now() + interval '1 hour'");
    insert("queue, assignee_type", "'halted', 'human'");
    insert("queue, state", "'halted', 'on_hold'");
    String waiting =
        "SELECT ticket_id FROM holdfast.waiting_tickets WHERE queue = 'halted' AND kind"
            + " %s 'paused' ORDER BY 1";
    assertThat(database.column(waiting.formatted("="))).isEmpty();
    database.run("SELECT holdfast.pause_queue('halted', 'ann')");

    assertThat(database.column(waiting.formatted("=")))
        .containsExactly("" + ready, "" + keyed, "" + suspect, "" + due);
    assertThat(database.column(waiting.formatted("<>"))).as("not for their turn too").isEmpty();
    database.run("SELECT holdfast.resume_queue('halted', 'ann')");
    assertThat(database.column(waiting.formatted("="))).isEmpty();
  }

  @Test
  @DisplayName("attempt, retry count, guidance and payload reach the claimer")
  void claimedTicket() {
    long id = insert("payload, title, priority", "'{\"a\": [1]}', 'Title', 4");
    queue.giveBack(id, queue.claim());
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'why')", id);
    database.run("SELECT holdfast.release_ticket(?, 'ann', 'try harder')", id);

    ClaimedTicket claimed = queue.claim(1).getFirst();

    assertThat(claimed.attempt()).isEqualTo(2);
    assertThat(claimed.retryCount()).isZero();
    assertThat(claimed.ticket().payload()).isEqualTo("{\"a\": [1]}");
    assertThat(claimed.ticket().title()).isEqualTo("Title");
    assertThat(claimed.ticket().priority()).isEqualTo(4);
    assertThat(claimed.ticket().queue()).isEqualTo("default");
    assertThat(claimed.guidance())
        .singleElement()
        .satisfies(
            guidance -> {
              assertThat(guidance.text()).isEqualTo("try harder");
              assertThat(guidance.author()).isEqualTo("ann");
              assertThat(guidance.source()).isEqualTo("release");
            });
  }
}
