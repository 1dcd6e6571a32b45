package dev.holdfast.queue.view;

import java.util.List;

/**
 * A page of groups, with the totals of all pages.
 *
 * @param groups the largest first
 * @param groupCount of all pages
 * @param ticketCount of all pages
 */
public record Inbox(List<HeldGroup> groups, long groupCount, long ticketCount) {
  public Inbox {
    groups = List.copyOf(groups);
  }

  /** Returns a page after the last one: no group, the same totals. */
  public Inbox behind() {
    return new Inbox(List.of(), groupCount, ticketCount);
  }
}
