package dev.holdfast.queue;

import dev.holdfast.failure.Category;
import dev.holdfast.ticket.TicketState;
import org.jspecify.annotations.Nullable;

/**
 * Which tickets to list; null fields do not filter.
 *
 * @param beforeId only tickets with smaller ids: the next page
 * @param limit at least 1
 */
public record TicketFilter(
    @Nullable TicketState state,
    @Nullable String queue,
    @Nullable Category category,
    @Nullable String fingerprint,
    @Nullable Long beforeId,
    int limit) {

  public static TicketFilter all(int limit) {
    return new TicketFilter(null, null, null, null, null, limit);
  }

  public TicketFilter withState(TicketState newState) {
    return new TicketFilter(newState, queue, category, fingerprint, beforeId, limit);
  }

  public TicketFilter withCategory(Category newCategory) {
    return new TicketFilter(state, queue, newCategory, fingerprint, beforeId, limit);
  }

  public TicketFilter withFingerprint(String newFingerprint) {
    return new TicketFilter(state, queue, category, newFingerprint, beforeId, limit);
  }
}
