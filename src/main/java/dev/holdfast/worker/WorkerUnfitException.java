package dev.holdfast.worker;

import dev.holdfast.ticket.HoldfastException;

/**
 * A handler throws it where the worker's machine, and not the ticket, is why it did nothing: a full
 * disk, too many processes. The ticket is given back and uses up no retry; the worker claims
 * nothing for a while, and then as many as have found room.
 */
public final class WorkerUnfitException extends HoldfastException {
  private static final long serialVersionUID = 1;

  /**
   * @param message in one line, with what to do
   */
  public WorkerUnfitException(String message, Throwable cause) {
    super(message, cause);
  }
}
