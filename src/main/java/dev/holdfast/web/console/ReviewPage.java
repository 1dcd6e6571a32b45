package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.web.console.view.ResultView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Results that wait for a person.
 *
 * @param next the address of the next page; null at the end
 */
public record ReviewPage(Page page, List<Item> items, @Nullable String next) {
  public ReviewPage {
    items = List.copyOf(items);
  }

  /** A ticket with its result. */
  public record Item(TicketSummary ticket, ResultView result) {}
}
