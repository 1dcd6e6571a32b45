package dev.holdfast.cli.output;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** An argument cannot be taken. The message names it and says what is allowed. */
public final class UsageException extends HoldfastException {
  public UsageException(String message) {
    super(message);
  }

  public UsageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
