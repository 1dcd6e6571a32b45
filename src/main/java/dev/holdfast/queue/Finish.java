package dev.holdfast.queue;

import dev.holdfast.failure.Failure;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketWait;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt, as its worker reports it. Applied only while its lease is there and newer
 * than the ticket's fence (A51).
 */
public sealed interface Finish {
  long ticketId();

  long leaseNo();

  /**
   * @param result JSON text, or null
   * @param review who looks at it
   * @param enqueues the tickets that it adds, as add_tickets_of_job takes them; null for none
   */
  record Succeeded(
      long ticketId,
      long leaseNo,
      @Nullable String result,
      Review review,
      @Nullable String enqueues)
      implements Finish {}

  /**
   * A workflow waits for its steps. This is no failure, and no retry is used up.
   *
   * @param plan JSON text: the steps that begin, as advance_workflow takes it
   */
  record Advanced(long ticketId, long leaseNo, String plan) implements Finish {}

  /**
   * @param hold why only a person can say how to go on, whatever retries are left; null where the
   *     retry settings decide
   * @param waitsFor what may end that hold besides a release; null where nothing else does
   * @param firstAttempt whether the ticket had never been executed before when it was claimed: only
   *     a hint that there may be no history to look at, so false is always right
   */
  record Failed(
      long ticketId,
      long leaseNo,
      Failure failure,
      RetryDecision.@Nullable Hold hold,
      @Nullable TicketWait waitsFor,
      boolean firstAttempt)
      implements Finish {
    public Failed(long ticketId, long leaseNo, Failure failure, RetryDecision.@Nullable Hold hold) {
      this(ticketId, leaseNo, failure, hold, null, false);
    }

    public Failed(long ticketId, long leaseNo, Failure failure) {
      this(ticketId, leaseNo, failure, null);
    }
  }

  /**
   * The ticket waits for a person's word before it goes on. This is no failure, and no retry is
   * used up.
   *
   * @param reason for {@code tickets.hold_reason}
   * @param actions what a person may do, as in {@code tickets.allowed_actions}
   * @param details JSON object for the activity that records it
   */
  record Parked(long ticketId, long leaseNo, String reason, List<String> actions, String details)
      implements Finish {
    public Parked {
      actions = List.copyOf(actions);
    }
  }

  /**
   * The ticket cannot go on for a while, through no fault of its own: then it is ready again, and
   * no retry is used up.
   *
   * @param delay from now on, by the database's clock
   * @param waitsFor what it waits for
   */
  record Deferred(long ticketId, long leaseNo, Duration delay, TicketWait waitsFor)
      implements Finish {}

  /** The worker is stopping: the ticket is ready again and no retry is used up (A52). */
  record GivenBack(long ticketId, long leaseNo) implements Finish {}
}
