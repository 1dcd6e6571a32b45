package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.queue.view.DesignReviews;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.ResultView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Results that wait for a person.
 *
 * @param designs the designs whose results wait, most first
 * @param design the only design whose results are shown; null shows all
 * @param before results of this ticket and later ones are left out; null leaves out none
 * @param next the address of the next page; null at the end
 */
public record ReviewPage(
    Page page,
    List<DesignReviews> designs,
    @Nullable String design,
    List<Item> items,
    @Nullable Long before,
    @Nullable String next) {
  public ReviewPage {
    designs = List.copyOf(designs);
    items = List.copyOf(items);
  }

  /** Returns the number of results of the shown design that wait; 0 if no design is chosen. */
  public long waiting() {
    return designs.stream()
        .filter(each -> each.design().equals(design))
        .mapToLong(DesignReviews::tickets)
        .sum();
  }

  public boolean isOf(DesignReviews other) {
    return other.design().equals(design);
  }

  public String address(DesignReviews of) {
    return Links.with("/review", "design", of.design());
  }

  /** A ticket with its result. */
  public record Item(TicketSummary ticket, ResultView result) {}
}
