package dev.holdfast.retry;

import dev.holdfast.failure.Failure;
import java.time.Duration;
import java.util.Optional;

/**
 * The decision on a failed ticket: retry or hold (A17).
 *
 * @param nextDelay the wait before the next attempt; zero if there is none (A21)
 * @param attemptsRemaining retries that were left before this decision (A22)
 * @param classification the failure that was decided on
 * @param strategy the policy of its category
 * @param hold why the ticket is held; empty if it is retried
 */
public record RetryDecision(
    Duration nextDelay,
    int attemptsRemaining,
    Failure classification,
    CategoryPolicy strategy,
    Optional<Hold> hold) {

  /**
   * @param reason the text in {@code tickets.hold_reason}
   */
  public record Hold(HoldCause cause, String reason) {}

  public boolean shouldRetry() {
    return hold.isEmpty();
  }

  /** Returns the same failure, held although it might have been retried. */
  public RetryDecision heldFor(Hold given) {
    return new RetryDecision(
        Duration.ZERO, attemptsRemaining, classification, strategy, Optional.of(given));
  }
}
