package dev.holdfast.queue.read;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of tickets.
 *
 * @param tickets newest first
 * @param next {@code before} of the next page; null at the end
 * @param wasCut whether the search ended before the page was full, because it had looked at as many
 *     tickets as one page may; {@code next} goes on
 */
public record TicketWindow(List<TicketSummary> tickets, @Nullable Long next, boolean wasCut) {
  public TicketWindow {
    tickets = List.copyOf(tickets);
  }
}
