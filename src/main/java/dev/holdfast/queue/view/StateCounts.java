package dev.holdfast.queue.view;

import dev.holdfast.ticket.TicketState;
import java.util.Map;

/**
 * The number of the newest tickets in each state.
 *
 * @param cut whether there are older tickets, which are not counted
 */
public record StateCounts(Map<TicketState, Long> counts, boolean cut) {
  public StateCounts {
    counts = Map.copyOf(counts);
  }

  public long of(TicketState state) {
    return counts.getOrDefault(state, 0L);
  }
}
