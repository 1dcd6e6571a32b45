package dev.holdfast.repair.trace;

import dev.holdfast.ticket.HoldfastException;

/** The journal was written by a version whose steps this one does not know. */
public final class UnreadableStepException extends HoldfastException {
  private static final long serialVersionUID = 1;

  public UnreadableStepException(long ticket, String step, Exception cause) {
    super(
        "the journal of ticket %s cannot be read: step %s is none that this version of Holdfast knows; update the worker, or start over: holdfast release %s --fresh"
            .formatted(ticket, step, ticket),
        cause);
  }
}
