package dev.holdfast.queue.view;

import org.jspecify.annotations.Nullable;

/**
 * A filter for the groups of held tickets; null fields do not filter.
 *
 * @param assignee only tickets this person looks after
 * @param offset groups to leave out, the largest first
 * @param limit at least 1
 */
public record InboxQuery(
    @Nullable String queue,
    @Nullable String category,
    @Nullable String assignee,
    int offset,
    int limit) {
  public InboxQuery firstPage() {
    return new InboxQuery(queue, category, assignee, 0, limit);
  }
}
