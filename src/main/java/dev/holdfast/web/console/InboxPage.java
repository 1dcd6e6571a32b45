package dev.holdfast.web.console;

import dev.holdfast.queue.view.HeldGroup;
import dev.holdfast.queue.view.Inbox;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.Links;
import dev.holdfast.web.console.view.Sparkline;
import org.jspecify.annotations.Nullable;

/**
 * The page of held tickets, grouped by error; those without one are one group.
 *
 * @param shown which page of the groups, from 1
 * @param queue the filter
 * @param category the filter
 * @param assignee the filter
 */
public record InboxPage(
    Page page,
    Inbox inbox,
    int shown,
    @Nullable String queue,
    @Nullable String category,
    @Nullable String assignee) {
  static final int GROUPS = 50;

  public boolean isFiltered() {
    return queue != null || category != null || assignee != null;
  }

  public boolean hasNext() {
    return (long) shown * GROUPS < inbox.groupCount();
  }

  public String sum() {
    return "%s %s for a person, in %s of equal errors."
        .formatted(
            Format.count(inbox.ticketCount(), "ticket"),
            inbox.ticketCount() == 1 ? "waits" : "wait",
            Format.count(inbox.groupCount(), "group"));
  }

  public String address(int number) {
    return Links.with(
        "/inbox",
        "queue",
        queue,
        "category",
        category,
        "assignee",
        assignee,
        "page",
        number == 1 ? null : number);
  }

  /** Draws the tickets of a group by the hour when they were held. */
  public Sparkline spark(HeldGroup group) {
    long day = group.byHour().stream().mapToLong(Long::longValue).sum();
    return Sparkline.of(group.byHour(), Format.number(day) + " held in the last 24 hours");
  }

  /**
   * Returns the name of a group. The reason of one ticket is no name for a group whose tickets have
   * other reasons.
   */
  public String name(HeldGroup group) {
    if (group.fingerprint().isEmpty() && group.tickets() > 1) {
      return "Held without an error, for different reasons";
    }
    String text = Format.firstLine(group.errorTitle(), 200);
    if (!text.isEmpty()) {
      return text;
    }
    String reason = Format.firstLine(group.holdReason(), 200);
    return reason.isEmpty() ? "Held without a reason" : reason;
  }

  /** Returns why its newest ticket was held, where its error is its name. */
  public String more(HeldGroup group) {
    return group.fingerprint().isEmpty() || group.errorTitle() == null
        ? ""
        : Format.firstLine(group.holdReason(), 160);
  }
}
