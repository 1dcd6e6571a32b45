package dev.holdfast.ticket;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The state of a ticket (A2). The database refuses every change that is not legal. */
public enum TicketState {
  READY,
  IN_PROGRESS,
  NEEDS_REVIEW,
  ON_HOLD,
  DONE,
  CANCELLED;

  /** Returns the name in the database, in JSON and on the command line: {@code needs_review}. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<TicketState> ofWireName(String name) {
    return Arrays.stream(values()).filter(state -> state.wireName().equals(name)).findFirst();
  }

  /** Returns true for the states that a ticket never leaves: done and cancelled. */
  public boolean isFinal() {
    return this == DONE || this == CANCELLED;
  }
}
