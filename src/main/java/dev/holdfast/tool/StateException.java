package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A tool was used in a state in which it cannot be (C7): not retried. */
public class StateException extends HoldfastException {
  public StateException(String message) {
    super(message);
  }

  public StateException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
