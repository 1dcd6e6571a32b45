package dev.holdfast.worker;

import dev.holdfast.ticket.HoldfastException;

/**
 * Thrown by a handler that did nothing because of the worker's machine and not of the ticket: a
 * full disk, too many processes. The ticket is given back and uses up no retry. The worker claims
 * nothing for a while, and then as many as have found room.
 */
public final class WorkerUnfitException extends HoldfastException {
  private static final long serialVersionUID = 1;

  /**
   * @param message one line that says what to do
   */
  public WorkerUnfitException(String message, Throwable cause) {
    super(message, cause);
  }
}
