package dev.holdfast.session.retry;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * Orders of people to end or switch the retries of running tickets (D27, D33, D34). Thread-safe.
 */
@FunctionalInterface
public interface RetryAborts {
  /**
   * Takes the orders to end the waits of these tickets; each is given out once.
   *
   * @param waitingTickets those whose session waits on this worker
   * @return those of them whose wait is to end now
   */
  Set<Long> take(Collection<Long> waitingTickets);

  /** Returns those of the tickets whose auto-retry a person has switched off. */
  default Set<Long> switchedOff(Collection<Long> retryingTickets) {
    return Set.of();
  }

  /**
   * Returns the switch that a person has set for the ticket's auto-retry, on or off; empty where
   * nobody has.
   */
  default Optional<Boolean> autoRetry(long ticketId) {
    return Optional.empty();
  }
}
