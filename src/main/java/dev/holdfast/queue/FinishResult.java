package dev.holdfast.queue;

import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.ticket.TicketWait;
import java.time.Instant;

/** The answer to a finish that was reported. */
public sealed interface FinishResult {
  long ticketId();

  /** A success was stored; {@code state} is needs_review or done. */
  record Succeeded(long ticketId, TicketState state) implements FinishResult {}

  /**
   * {@code {retried: true, retryAfter}} (A31).
   *
   * @param ofRetry whether the failed execution was a retry (A65); after a lost answer the worker
   *     that claimed it knows better
   */
  record Retried(long ticketId, Instant retryAfter, RetryDecision decision, boolean ofRetry)
      implements FinishResult {}

  /**
   * {@code {retried: false, onHold: true}} (A36).
   *
   * @param ofRetry as in {@link Retried}
   */
  record Held(long ticketId, RetryDecision decision, boolean ofRetry) implements FinishResult {}

  /** The ticket waits for a person's word. */
  record Parked(long ticketId, String reason) implements FinishResult {}

  /** The ticket waits for its steps. */
  record Advanced(long ticketId) implements FinishResult {}

  record GivenBack(long ticketId) implements FinishResult {}

  /** The ticket is ready again at that time. */
  record Deferred(long ticketId, Instant retryAfter, TicketWait waitsFor) implements FinishResult {}

  /**
   * Nothing was changed: the ticket is unknown (A49), or the lease is not its current one any more
   * (A48, A51). The worker drops what it has.
   */
  record Stale(long ticketId) implements FinishResult {}
}
