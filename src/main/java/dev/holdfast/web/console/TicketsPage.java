package dev.holdfast.web.console;

import dev.holdfast.queue.view.TicketWindow;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.console.view.Filters;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tickets by a filter.
 *
 * @param path of the page: all tickets, or those to be reviewed
 */
public record TicketsPage(
    Page page,
    String path,
    Filters filters,
    TicketWindow tickets,
    List<String> queues,
    String sql) {
  public TicketsPage {
    queues = List.copyOf(queues);
  }

  public boolean isState(@Nullable TicketState state) {
    return filters.query().state() == state;
  }

  public boolean showsHeld() {
    return filters.query().state() == TicketState.ON_HOLD && !tickets.tickets().isEmpty();
  }
}
