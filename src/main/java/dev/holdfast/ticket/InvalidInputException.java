package dev.holdfast.ticket;

/**
 * A value that was given for a ticket, a design, a limit or anything else cannot be taken. The
 * message names it and says what is allowed.
 */
public final class InvalidInputException extends HoldfastException {
  public InvalidInputException(String message) {
    super(message);
  }
}
