package dev.holdfast.ticket;

/**
 * The ticket is not in a state from which the wanted transition is legal (A3); nothing was changed.
 * The message names the state it is in, and the person who acted on it last.
 */
public final class IllegalTransitionException extends HoldfastException {
  public IllegalTransitionException(String message) {
    super(message);
  }
}
