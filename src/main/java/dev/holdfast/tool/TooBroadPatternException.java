package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A search did not end within its time (C22): retried, for the machine may just have been busy. */
public class TooBroadPatternException extends HoldfastException {
  public TooBroadPatternException(String message) {
    super(message);
  }

  public TooBroadPatternException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
