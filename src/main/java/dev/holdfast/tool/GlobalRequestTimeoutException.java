package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** The whole request is out of time (C7): another attempt would only be later still. */
public class GlobalRequestTimeoutException extends HoldfastException {
  public GlobalRequestTimeoutException(String message) {
    super(message);
  }

  public GlobalRequestTimeoutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
