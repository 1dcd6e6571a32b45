package dev.holdfast.workflow;

import dev.holdfast.ticket.TicketState;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A ticket of a step.
 *
 * @param item its place in the list of the step, from 0; null where the step has no list; -1 where
 *     a job of the step has added it
 * @param state {@link TicketState#READY} also while it runs
 * @param result null where it has none
 * @param accepted whether a person has released the workflow since the ticket was cancelled
 * @param leftOut how many bytes the results of its step have, if they are too many to be read and
 *     no next step uses them; otherwise 0
 */
public record StepTicket(
    String step,
    @Nullable Integer item,
    long id,
    TicketState state,
    @Nullable JsonNode result,
    boolean accepted,
    long leftOut) {
  boolean isAdded() {
    return item != null && item < 0;
  }
}
