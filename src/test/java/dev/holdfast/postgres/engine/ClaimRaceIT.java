package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.Finish;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class ClaimRaceIT {
  private static final int CLAIMERS = 16;
  private static final int TICKETS = 10_000;

  private final TicketDatabase database;
  private final TestQueue queue;

  ClaimRaceIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @Test
  @DisplayName("A44, A47: 16 claimers on 10,000 tickets, half of them deferred, claim each once")
  void noDuplicates() throws Exception {
    database.run(
        "SELECT holdfast.enqueue_ticket(kind => ?, priority => n % 3,"
            + " run_at => CASE WHEN n % 2 = 0 THEN clock_timestamp() + interval '300 milliseconds'"
            + " END) FROM generate_series(1, ?) n",
        queue.kind(), TICKETS);
    List<Callable<List<Long>>> claimers =
        IntStream.range(0, CLAIMERS).<Callable<List<Long>>>mapToObj(this::claimer).toList();

    List<Long> ledger = AtOnce.run(claimers).stream().flatMap(List::stream).toList();

    assertThat(ledger).hasSize(TICKETS);
    assertThat(new HashSet<>(ledger)).hasSize(TICKETS);
    database.assertNoTicketIsLost();
    assertThat(
            database.number(
                "SELECT count(DISTINCT lease_no) - (SELECT count(DISTINCT (lease_no, worker_id))"
                    + " FROM holdfast.ticket_attempts) FROM holdfast.ticket_attempts"))
        .isZero();
    assertThat(database.number("SELECT count(*) FROM holdfast.leases")).isZero();
  }

  /** Claims until all are done, a different number each time, and stores at once. */
  private Callable<List<Long>> claimer(int number) {
    return () -> {
      List<Long> mine = new ArrayList<>();
      int limit = number;
      while (database.number("SELECT count(*) FROM holdfast.ready") > 0
          || database.number("SELECT count(*) FROM holdfast.deferred") > 0) {
        limit = limit * 7 % 97 + 50;
        Claim claim = queue.queue().claim(queue.request(limit));
        assertThat(claim.tickets().size()).isLessThanOrEqualTo(limit);
        store(claim.tickets());
        claim.tickets().forEach(ticket -> mine.add(ticket.id()));
      }
      return mine;
    };
  }

  private void store(List<ClaimedTicket> tickets) {
    if (!tickets.isEmpty()) {
      long lease = tickets.getFirst().lease().no();
      queue
          .queue()
          .finish(
              tickets.stream()
                  .map(ticket -> new Finish.Succeeded(ticket.id(), lease, null, Review.NONE, null))
                  .toList(),
              List.of(lease));
    }
  }
}
