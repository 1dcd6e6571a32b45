package dev.holdfast.queue.view;

import java.util.List;

/**
 * The state of tickets since they were released.
 *
 * @param waiting those that no worker has claimed, so that the release may be undone
 * @param heldAgain how many are on hold again
 */
public record ReleasedTickets(List<Long> waiting, long heldAgain) {
  public ReleasedTickets {
    waiting = List.copyOf(waiting);
  }
}
