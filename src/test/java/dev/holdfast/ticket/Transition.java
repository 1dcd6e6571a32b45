package dev.holdfast.ticket;

import static dev.holdfast.ticket.TicketState.CANCELLED;
import static dev.holdfast.ticket.TicketState.DONE;
import static dev.holdfast.ticket.TicketState.IN_PROGRESS;
import static dev.holdfast.ticket.TicketState.NEEDS_REVIEW;
import static dev.holdfast.ticket.TicketState.ON_HOLD;
import static dev.holdfast.ticket.TicketState.READY;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Every legal change of a ticket's state (A2, A3). The database enforces the same table; a test
 * compares the two. Cancelling happens only on the explicit word of a person or an API caller
 * (A58).
 */
public enum Transition {
  CLAIM(IN_PROGRESS, READY),
  SUCCEED(NEEDS_REVIEW, IN_PROGRESS),
  SUCCEED_WITHOUT_REVIEW(DONE, IN_PROGRESS),
  RETRY(READY, IN_PROGRESS),
  GIVE_BACK(READY, IN_PROGRESS),
  HOLD(ON_HOLD, READY, IN_PROGRESS),
  RELEASE(READY, ON_HOLD),
  APPROVE(DONE, NEEDS_REVIEW),
  REJECT(READY, NEEDS_REVIEW),
  CANCEL(CANCELLED, READY, IN_PROGRESS, NEEDS_REVIEW, ON_HOLD);

  private final TicketState to;
  private final Set<TicketState> from;

  Transition(TicketState to, TicketState first, TicketState... others) {
    this.to = to;
    this.from = EnumSet.of(first, others);
  }

  public TicketState to() {
    return to;
  }

  public boolean isLegalFrom(TicketState state) {
    return from.contains(state);
  }

  /** {@code release}, {@code succeed_without_review}: for messages and commands. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether any transition leads from one state to the other. */
  public static boolean isLegal(TicketState from, TicketState to) {
    return Arrays.stream(values()).anyMatch(t -> t.to == to && t.isLegalFrom(from));
  }
}
