package dev.holdfast.testing;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.engine.PostgresTicketQueue;
import dev.holdfast.postgres.session.PostgresApprovalStore;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.schema.Question;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The queue without jitter, and what tests do with it all the time. Each object has a kind of its
 * own, so that tests which share a database do not claim each other's tickets. Thread-safe.
 *
 * @param kind of all tickets it makes and claims
 */
public record TestQueue(PostgresTicketQueue queue, TicketDatabase database, String kind) {
  public static final String WORKER = "worker-1";
  private static final Duration LEASE = Duration.ofMinutes(5);

  public static TestQueue on(TicketDatabase database) {
    return on(database, RetrySettings.defaults());
  }

  public static TestQueue on(TicketDatabase database, RetrySettings settings) {
    return new TestQueue(
        new PostgresTicketQueue(
            database.dataSource(),
            database.dataSource(),
            "holdfast",
            new RetryPolicy(() -> 0),
            settings),
        database,
        "kind-" + UUID.randomUUID());
  }

  public long enqueue() {
    return database.enqueue(kind);
  }

  public List<Long> enqueue(int count) {
    return database.enqueue(kind, count);
  }

  public ClaimRequest request(int limit) {
    return new ClaimRequest(WORKER, Set.of(kind), Set.of(), limit, LEASE);
  }

  public List<ClaimedTicket> claim(int limit) {
    return queue.claim(request(limit)).tickets();
  }

  /** Claims the only ticket there is and returns its lease. */
  public long claim() {
    List<ClaimedTicket> tickets = claim(2);
    if (tickets.size() != 1) {
      throw new AssertionError("claimed " + tickets.size() + " tickets, not 1");
    }
    return tickets.getFirst().lease().no();
  }

  public FinishResult succeed(long id, long lease) {
    return queue
        .finish(
            List.of(new Finish.Succeeded(id, lease, "{\"answer\": 42}", Review.HUMAN, null)),
            List.of(lease))
        .getFirst();
  }

  public FinishResult fail(long id, long lease, Category category) {
    return queue
        .finish(
            List.of(new Finish.Failed(id, lease, failure(category, "it broke"))), List.of(lease))
        .getFirst();
  }

  /** An agent's ticket that waits until a person has decided on these tool calls. */
  public long park(ApprovalStore.Asked... calls) {
    long id = enqueue();
    long lease = claim();
    new PostgresApprovalStore(database.dataSource(), "holdfast").ask(id, lease, List.of(calls));
    List<String> actions =
        List.of("approve_call", "approve_call_with_changes", "deny_call", "cancel");
    queue.finish(
        List.of(new Finish.Parked(id, lease, "approval", actions, "{\"calls\": []}")),
        List.of(lease));
    return id;
  }

  /** A ticket whose job has asked this question. */
  public long ask(Question question) {
    long id = enqueue();
    ask(id, claim(), question);
    return id;
  }

  /** Ends an attempt with this question. */
  public void ask(long id, long lease, Question question) {
    HandlerResult.Parked asked = (HandlerResult.Parked) HandlerResult.asks(question);
    queue.finish(
        List.of(new Finish.Parked(id, lease, asked.reason(), asked.actions(), asked.details())),
        List.of(lease));
  }

  public FinishResult giveBack(long id, long lease) {
    return queue.finish(List.of(new Finish.GivenBack(id, lease)), List.of(lease)).getFirst();
  }

  /** Lets the retried ticket be due now. */
  public void makeDue(long id) {
    database.run(
        "WITH d AS (UPDATE holdfast.deferred SET run_at = now() WHERE id = ? RETURNING id, run_at)"
            + " UPDATE holdfast.ticket_base b SET retry_after = d.run_at FROM d WHERE b.id = d.id",
        id);
    // Promotes; claims nothing of ours.
    queue.claim(new ClaimRequest(WORKER, Set.of("none"), Set.of(), 1, LEASE));
  }

  /** Lets a lease be over. */
  public void expire(long lease) {
    database.run(
        "UPDATE holdfast.leases SET expires_at = now() - interval '1 second' WHERE id = ?", lease);
  }

  /** The fingerprint is the text, so that equal texts are equal errors. */
  public static Failure failure(Category category, String text) {
    return new Failure(text, category, "test", "", null, null, text);
  }
}
