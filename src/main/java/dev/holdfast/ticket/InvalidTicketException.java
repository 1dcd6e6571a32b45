package dev.holdfast.ticket;

/**
 * A value that was given for a ticket, design or queue cannot be taken. The message names it and
 * says what is allowed.
 */
public final class InvalidTicketException extends HoldfastException {
  public InvalidTicketException(String message) {
    super(message);
  }
}
