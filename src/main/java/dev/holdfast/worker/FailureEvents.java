package dev.holdfast.worker;

import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.retry.RetryDecision;

/**
 * Makes the events of decisions on failures, whether an attempt or a rescue reported them (A30,
 * A35).
 */
final class FailureEvents {
  private FailureEvents() {}

  static TicketEvent retried(FinishResult.Retried result, boolean ofRetry, boolean crashed) {
    RetryDecision decision = result.decision();
    return new TicketEvent.RetryScheduled(
        result.ticketId(),
        decision.classification().category(),
        result.retryAfter(),
        decision.nextDelay(),
        decision.attemptsRemaining(),
        ofRetry,
        crashed);
  }

  static TicketEvent held(FinishResult.Held result, boolean ofRetry, boolean crashed) {
    RetryDecision decision = result.decision();
    RetryDecision.Hold hold = decision.hold().orElseThrow();
    return new TicketEvent.Held(
        result.ticketId(),
        decision.classification().category(),
        hold.cause().wireName(),
        hold.reason(),
        ofRetry,
        crashed);
  }
}
