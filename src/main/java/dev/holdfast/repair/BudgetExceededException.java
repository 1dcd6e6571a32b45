package dev.holdfast.repair;

import dev.holdfast.ticket.HoldfastException;

/** A budget of the run is used up (E16); the message says which. */
final class BudgetExceededException extends HoldfastException {
  private static final long serialVersionUID = 1;

  BudgetExceededException(String message) {
    super(message);
  }
}
