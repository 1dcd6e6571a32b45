package dev.holdfast.ticket;

/**
 * There is no such ticket, design, schedule, batch or limit. The message says which, and how to
 * find the existing ones.
 */
public final class NotFoundException extends HoldfastException {
  public NotFoundException(String message) {
    super(message);
  }
}
