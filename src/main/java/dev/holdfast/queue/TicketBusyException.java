package dev.holdfast.queue;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * Somebody else's open transaction has the ticket locked, a person's {@code BEGIN; UPDATE ...} for
 * instance. Nothing was done; it is worth trying again after a while, and other tickets first.
 */
public final class TicketBusyException extends HoldfastException {
  public TicketBusyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
