package dev.holdfast.postgres;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.engine.PostgresTicketQueue;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Tickets brought into any state the way a worker brings them there, each of a kind of its own. */
public final class TestTickets {
  private final PostgresTicketQueue queue;
  private final PostgresTicketInbox inbox;
  private final PostgresTicketDesk desk;

  public TestTickets(DataSource dataSource) {
    this.queue =
        new PostgresTicketQueue(
            dataSource, dataSource, "holdfast", new RetryPolicy(() -> 0), RetrySettings.defaults());
    this.inbox = new PostgresTicketInbox(dataSource);
    this.desk = new PostgresTicketDesk(dataSource);
  }

  public long in(TicketState state) {
    String kind = "kind-" + UUID.randomUUID();
    long id = inbox.enqueue(NewTicket.ofKind(kind).withQueue("desk"));
    switch (state) {
      case READY -> {}
      case IN_PROGRESS -> claim(kind);
      case NEEDS_REVIEW -> succeed(id, claim(kind), true);
      case DONE -> succeed(id, claim(kind), false);
      case ON_HOLD -> desk.hold(id, "hal", "look at it");
      case CANCELLED -> desk.cancel(id, "carl", null);
    }
    return id;
  }

  /** Claims the one ticket of a kind and returns its lease. */
  public long claim(String kind) {
    Claim claim =
        queue.claim(new ClaimRequest("worker-1", Set.of(kind), Set.of(), 1, Duration.ofMinutes(5)));
    return claim.tickets().getFirst().lease().no();
  }

  public void succeed(long id, long lease, boolean review) {
    queue.finish(
        List.of(
            new Finish.Succeeded(
                id, lease, "{\"answer\":42}", review ? Review.HUMAN : Review.NONE, null)),
        List.of(lease));
  }

  /** One execution of the ticket that ends so; the wait before the next one is cut short. */
  public void fail(long id, String kind, Category category, String fingerprint) {
    queue.retryOrFailTicket(
        id,
        claim(kind),
        new Failure(
            "it broke: " + fingerprint, category, "test", "broke", null, null, fingerprint));
  }

  public PostgresTicketQueue queue() {
    return queue;
  }
}
