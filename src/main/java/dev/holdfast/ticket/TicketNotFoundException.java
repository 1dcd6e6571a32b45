package dev.holdfast.ticket;

/**
 * There is no such ticket, queue or design. The message says which, and how to find the existing
 * ones.
 */
public final class TicketNotFoundException extends HoldfastException {
  public TicketNotFoundException(String message) {
    super(message);
  }
}
