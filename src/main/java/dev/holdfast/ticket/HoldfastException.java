package dev.holdfast.ticket;

import org.jspecify.annotations.Nullable;

/** Base of every exception of our own. Its message is one clear line that names the next step. */
public class HoldfastException extends RuntimeException {
  public HoldfastException(String message) {
    super(message);
  }

  public HoldfastException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
