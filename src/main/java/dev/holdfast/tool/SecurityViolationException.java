package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A call reached for something that is not its own (C5), such as a file outside its workspace. */
public class SecurityViolationException extends HoldfastException {
  public SecurityViolationException(String message) {
    super(message);
  }

  public SecurityViolationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
