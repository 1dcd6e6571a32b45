package dev.holdfast.queue.view;

import dev.holdfast.ticket.TicketState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which tickets to show; null fields do not filter.
 *
 * @param category "" for tickets without an error
 * @param fingerprint "" for tickets without an error
 * @param text a part of the title, or all of the unique key, whatever the case
 * @param assignee only tickets this person looks after
 * @param from created then or later
 * @param to created before
 * @param before only smaller ids: the next page
 * @param limit at least 1
 */
public record TicketQuery(
    @Nullable TicketState state,
    @Nullable String queue,
    @Nullable String kind,
    @Nullable String category,
    @Nullable String fingerprint,
    @Nullable String text,
    @Nullable String assignee,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable Long before,
    int limit) {

  public static TicketQuery all(int limit) {
    return new TicketQuery(null, null, null, null, null, null, null, null, null, null, limit);
  }

  public TicketQuery withState(@Nullable TicketState newState) {
    return new TicketQuery(
        newState, queue, kind, category, fingerprint, text, assignee, from, to, before, limit);
  }

  public TicketQuery withText(String newText) {
    return new TicketQuery(
        state, queue, kind, category, fingerprint, newText, assignee, from, to, before, limit);
  }

  /** The held tickets with one error. */
  public static TicketQuery ofGroup(
      String fingerprint, String category, @Nullable Long before, int limit) {
    return new TicketQuery(
        TicketState.ON_HOLD,
        null,
        null,
        category,
        fingerprint,
        null,
        null,
        null,
        null,
        before,
        limit);
  }
}
