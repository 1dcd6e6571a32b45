package dev.holdfast.queue;

import dev.holdfast.ticket.HoldfastException;

/**
 * The ticket has changed since the person who acts looked at it; nothing was done. The message says
 * its present state and who acted on it last.
 */
public final class StaleViewException extends HoldfastException {
  public StaleViewException(String message) {
    super(message);
  }
}
