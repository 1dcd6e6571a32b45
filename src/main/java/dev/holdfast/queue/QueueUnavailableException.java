package dev.holdfast.queue;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * The database did not do what was asked. Trying again later is right; whether the last try took
 * effect is not known.
 */
public class QueueUnavailableException extends HoldfastException {
  public QueueUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
