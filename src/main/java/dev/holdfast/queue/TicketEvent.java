package dev.holdfast.queue;

import dev.holdfast.failure.Category;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.time.Instant;

/** A committed change of a ticket. The worker that made it passes it to its listeners. */
public sealed interface TicketEvent {
  long ticketId();

  /** The ticket is in progress under a lease of this worker. */
  record Claimed(ClaimedTicket ticket) implements TicketEvent {
    @Override
    public long ticketId() {
      return ticket.id();
    }
  }

  /**
   * @param isRetry whether the attempt was a retry (A65)
   */
  record Succeeded(long ticketId, TicketState state, boolean isRetry, Duration ranFor)
      implements TicketEvent {}

  /** The state is ready again, with {@code {retry: true, retryAfter, attemptsRemaining}} (A30). */
  record RetryScheduled(
      long ticketId,
      Category category,
      Instant retryAfter,
      Duration delay,
      int attemptsRemaining,
      boolean wasRetry,
      boolean crashed)
      implements TicketEvent {}

  /**
   * The state is on_hold, with {@code {reason, errorCategory}} (A35).
   *
   * @param reason {@code max_retries}, {@code same_error}, {@code poison} or {@code handler}
   */
  record Held(
      long ticketId,
      Category category,
      String reason,
      String holdReason,
      boolean wasRetry,
      boolean crashed)
      implements TicketEvent {}

  /**
   * The state is on_hold: the ticket waits for a person's word before it goes on. No failure.
   *
   * @param holdReason such as approval, or that it expired before any worker started it
   */
  record Parked(long ticketId, String holdReason) implements TicketEvent {}

  /** A workflow waits for its steps; no retry was used up. */
  record Advanced(long ticketId) implements TicketEvent {}

  /**
   * The ticket is ready again; no retry was used up.
   *
   * @param rescued whether its lease had expired, because its worker died of another ticket or
   *     never learned of it; otherwise a stopping worker gave it back
   */
  record GivenBack(long ticketId, boolean rescued) implements TicketEvent {
    public GivenBack(long ticketId) {
      this(ticketId, false);
    }
  }

  /** Its provider is not to be called now; no retry was used up. */
  record Deferred(long ticketId, Duration delay, String waitsFor) implements TicketEvent {}

  /** A result came too late and was dropped (A51). */
  record StaleResultDropped(long ticketId) implements TicketEvent {}
}
