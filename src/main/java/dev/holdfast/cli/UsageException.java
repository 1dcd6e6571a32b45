package dev.holdfast.cli;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** An argument cannot be taken. The message names it and says what is allowed. */
final class UsageException extends HoldfastException {
  UsageException(String message) {
    super(message);
  }

  UsageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
