package dev.holdfast.session;

import java.util.Collection;
import java.util.Set;

/** What people said about retries that wait (D27, D34). Thread-safe. */
@FunctionalInterface
public interface RetryAborts {
  RetryAborts NONE = waiting -> Set.of();

  /**
   * Takes the orders to end the retries of these tickets; each is given out once.
   *
   * @param waitingTickets those whose session waits in an auto-retry on this worker
   * @return those of them whose retry is to end now
   */
  Set<Long> take(Collection<Long> waitingTickets);
}
