package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.TicketWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Issue 20, 1.1: who is blamed for the death of a worker. */
@WithDatabase
@EverySetup
class SuspectsIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  private int workers;

  SuspectsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred,"
            + " holdfast.leases, holdfast.suspects");
  }

  private String newWorker() {
    String id = "worker-" + ++workers + "-" + queue.kind();
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state)"
            + " VALUES (?, 'h', 1, '1', ARRAY[?], 100, 'running')",
        id,
        queue.kind());
    return id;
  }

  private Claim claim(String worker, int suspects) {
    return queue
        .queue()
        .claim(
            new ClaimRequest(worker, Set.of(queue.kind()), Set.of(), 100, Duration.ofMinutes(1))
                .within(new Room(1 << 20, 1 << 20, suspects)));
  }

  /** Time passes, and nobody heard of it again. */
  private void die(String worker) {
    database.run(
        "UPDATE holdfast.workers SET heartbeat_at = now() - interval '1 hour' WHERE id = ?",
        worker);
    database.run(
        "UPDATE holdfast.leases SET expires_at = now() - interval '1 second' WHERE worker_id = ?",
        worker);
    queue.queue().rescue(100);
    database.run(
        "UPDATE holdfast.ticket_base b SET retry_after = now() FROM holdfast.deferred d WHERE b.id"
            + " = d.id");
    database.run("UPDATE holdfast.deferred SET run_at = now()");
    database.run(
        "UPDATE holdfast.deferred d SET run_at = b.retry_after FROM holdfast.ticket_base b WHERE"
            + " b.id = d.id");
  }

  private long number(long id, String column) {
    return Long.parseLong(String.valueOf(database.ticket(id).get(column)));
  }

  @Test
  @DisplayName(
      "20.1: a killer among 19 innocents is held at its third death; they lose one attempt")
  void killer() {
    List<Long> ids = queue.enqueue(20);
    long killer = ids.get(7);
    String worker = newWorker();
    claim(worker, 1);
    die(worker);
    int deaths = 1;

    worker = newWorker();
    for (int i = 0; i < 60 && !database.state(killer).equals("on_hold"); i++) {
      Claim claim = claim(worker, 1);
      assertThat(claim.tickets()).as("suspects run alone").hasSizeLessThanOrEqualTo(1);
      if (claim.tickets().isEmpty()) {
        continue;
      }
      ClaimedTicket ticket = claim.tickets().getFirst();
      assertThat(claim.suspect()).contains(ticket);
      assertThat(claim(worker, 0).tickets()).as("one at a time").isEmpty();
      if (ticket.id() == killer) {
        die(worker);
        deaths++;
        worker = newWorker();
      } else {
        queue.succeed(ticket.id(), ticket.lease().no());
      }
    }

    assertThat(deaths).isEqualTo(3);
    assertThat(database.ticket(killer))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "Its worker died 3 times: system_error")
        .containsEntry("crash_count", "3");
    assertThat(
            database.value(
                "SELECT details->>'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ?"
                    + " ORDER BY id DESC LIMIT 1",
                killer))
        .isEqualTo("poison");
    while (!claim(worker, 1).tickets().stream()
        .map(each -> queue.succeed(each.id(), each.lease().no()))
        .toList()
        .isEmpty()) {}
    for (long id : ids) {
      if (id != killer) {
        assertThat(database.outcomes(id)).containsExactly("crashed", "succeeded");
        assertThat(number(id, "retry_count")).isZero();
      }
    }
  }

  @Test
  @DisplayName("20.1: what a worker lost while it was silent is no suspect once it is heard again")
  void silentWorker() {
    List<Long> ids = queue.enqueue(20);
    String silent = newWorker();
    long lease = claim(silent, 1).tickets().getFirst().lease().no();
    die(silent);
    String other = newWorker();
    ClaimedTicket alone = claim(other, 1).suspect().orElseThrow();
    long diedBefore = ids.stream().filter(id -> id != alone.id()).findFirst().orElseThrow();
    database.run("UPDATE holdfast.ticket_base SET crash_count = 2 WHERE id = ?", diedBefore);

    for (int round = 0; round < 2; round++) {
      queue.queue().heartbeat(silent, List.of(lease), Duration.ofMinutes(1));
      for (long id : ids) {
        assertThat(number(id, "crash_count")).isEqualTo(id == diedBefore ? 1 : 0);
      }
    }
    assertThat(database.outcomes(diedBefore)).containsExactly("given_back");
    List<ClaimedTicket> together = claim(other, 0).tickets();
    assertThat(together).hasSize(18);
    assertThat(claim(other, 1).suspect()).map(ClaimedTicket::id).contains(diedBefore);
    together.forEach(each -> queue.succeed(each.id(), each.lease().no()));
    queue.succeed(alone.id(), alone.lease().no());
  }

  @Test
  @DisplayName(
      "20.1: what silences its workers without killing them is forgiven once, and then held")
  void silencesWorkers() {
    long id = queue.enqueue();
    String worker = newWorker();
    for (int silences = 0; silences < 4; silences++) {
      assertThat(number(id, "crash_count")).isEqualTo(Math.max(0, silences - 1));
      long lease = claim(worker, 1).tickets().getFirst().lease().no();
      die(worker);
      queue.queue().heartbeat(worker, List.of(lease), Duration.ofMinutes(1));
    }
    assertThat(database.outcomes(id))
        .containsExactly("given_back", "crashed", "crashed", "crashed");
    assertThat(database.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("20.1: whoever was beside a suspect is ready again, and nothing is held against it")
  void besideSuspect() {
    List<Long> first = queue.enqueue(1);
    String worker = newWorker();
    claim(worker, 1);
    die(worker);
    worker = newWorker();
    List<Long> innocents = queue.enqueue(4);
    Claim claim = claim(worker, 1);
    assertThat(claim.tickets()).hasSize(5);
    assertThat(claim.suspect().orElseThrow().id()).isEqualTo(first.getFirst());
    assertThat(claim.tickets().stream().map(each -> each.lease().no()).distinct()).hasSize(2);

    die(worker);

    assertThat(number(first.getFirst(), "crash_count")).isEqualTo(2);
    for (long id : innocents) {
      assertThat(database.outcomes(id)).containsExactly("crashed");
      assertThat(number(id, "crash_count")).isZero();
      assertThat(number(id, "retry_count")).isZero();
      assertThat(database.state(id)).isEqualTo("ready");
    }
  }

  @Test
  @DisplayName("20.1: the suspect's lease ends first or last: the others are not blamed")
  void leasesEndOneByOne() {
    List<Long> first = queue.enqueue(1);
    String worker = newWorker();
    claim(worker, 1);
    die(worker);
    worker = newWorker();
    List<Long> innocents = queue.enqueue(2);
    Claim claim = claim(worker, 1);
    long suspectLease = claim.suspect().orElseThrow().lease().no();
    database.run(
        "UPDATE holdfast.workers SET heartbeat_at = now() - interval '1 hour' WHERE id = ?",
        worker);
    queue.expire(suspectLease);
    queue.queue().rescue(100);
    die(worker);

    assertThat(number(first.getFirst(), "crash_count")).isEqualTo(2);
    assertThat(innocents).allSatisfy(id -> assertThat(number(id, "crash_count")).isZero());
  }

  @Test
  @DisplayName(
      "A46: suspects that are put off again and again take turns with the others, and no command"
          + " waits behind them")
  void putOffTakeTurns() {
    List<Long> agents = queue.enqueue(2);
    List<Long> commands = queue.enqueue(3);
    String worker = newWorker();
    claim(worker, 1);
    die(worker);
    worker = newWorker();

    List<Long> ran = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ClaimedTicket ticket = claim(worker, 1).suspect().orElseThrow();
      ran.add(ticket.id());
      if (agents.contains(ticket.id())) {
        queue.queue().finish(List.of(putOff(ticket)), List.of(ticket.lease().no()));
      } else {
        queue.succeed(ticket.id(), ticket.lease().no());
      }
    }

    assertThat(ran).as("each had its turn").containsAll(agents).containsAll(commands);
    assertThat(number(agents.getFirst(), "crash_count")).as("still a suspect").isEqualTo(1);
  }

  /** It waits for a provider, for no time at all. */
  private static Finish putOff(ClaimedTicket ticket) {
    TicketWait wait = new TicketWait(TicketWait.Kind.PROVIDER, List.of("openai//"), "it", null);
    return new Finish.Deferred(ticket.id(), ticket.lease().no(), Duration.ZERO, wait);
  }

  @Test
  @DisplayName("20.1: a claim whose answer was lost costs no crash and no retry")
  void lostAnswer() {
    List<Long> ids = queue.enqueue(3);
    String worker = newWorker();
    Claim lost = claim(worker, 1);
    database.run(
        "UPDATE holdfast.leases SET claimed_at = now() - interval '61 seconds', expires_at = now()"
            + " - interval '1 second' WHERE worker_id = ?",
        worker);
    queue.queue().heartbeat(worker, List.of(), Duration.ofMinutes(1));

    assertThat(queue.queue().rescue(100))
        .hasSize(lost.tickets().size())
        .hasOnlyElementsOfType(FinishResult.GivenBack.class);
    for (long id : ids) {
      assertThat(number(id, "crash_count")).isZero();
      assertThat(number(id, "retry_count")).isZero();
      assertThat(database.state(id)).isEqualTo("ready");
    }
  }

  @Test
  @DisplayName("a suspect that waits can be held, cancelled and counted as any ready ticket")
  void person() {
    List<Long> ids = queue.enqueue(3);
    String worker = newWorker();
    claim(worker, 1);
    die(worker);
    claim(newWorker(), 0);
    assertThat(database.number("SELECT count(*) FROM holdfast.suspects")).isEqualTo(3);
    assertThat(database.number("SELECT sum(ready)::bigint FROM holdfast.queue_health"))
        .isEqualTo(3);

    database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", ids.get(0));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ids.get(1));

    assertThat(database.number("SELECT count(*) FROM holdfast.suspects")).isEqualTo(1);
    assertThat(ids).map(database::state).containsExactly("cancelled", "on_hold", "ready");
  }
}
