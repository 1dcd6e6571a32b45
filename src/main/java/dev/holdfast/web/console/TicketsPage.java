package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.queue.view.StateCounts;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.Format;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tickets by a filter.
 *
 * @param path the path of the page: all tickets, or those to be reviewed
 */
public record TicketsPage(
    Page page,
    String path,
    Filters filters,
    TicketWindow tickets,
    List<String> queues,
    StateCounts states,
    String sql) {
  public TicketsPage {
    queues = List.copyOf(queues);
  }

  public boolean isState(@Nullable TicketState state) {
    return filters.query().state() == state;
  }

  /** Returns the page with the same filter in another state; null is all states. */
  public String inState(@Nullable TicketState state) {
    return filters.inState(path, state);
  }

  /**
   * Returns the number of tickets in a state. If there are many, only the newest are counted, and a
   * plus says so.
   */
  public String count(TicketState state) {
    return state == TicketState.ON_HOLD
        ? Format.number(page.held())
        : Format.number(states.of(state)) + (states.cut() ? "+" : "");
  }

  public boolean showsHeld() {
    return filters.query().state() == TicketState.ON_HOLD && !tickets.tickets().isEmpty();
  }
}
