package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** Somebody wants it to stop (C5): never retried, ends the whole batch (C30). */
public class UserAbortException extends HoldfastException {
  public UserAbortException(String message) {
    super(message);
  }

  public UserAbortException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
