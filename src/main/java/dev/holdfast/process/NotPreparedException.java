package dev.holdfast.process;

import java.io.IOException;

/**
 * A program was not started because this machine has no room for any: a full disk, too many
 * processes or open files. Another machine could start it. The message says what to do.
 */
public final class NotPreparedException extends IOException {
  private static final long serialVersionUID = 1;

  NotPreparedException(String message, Throwable cause) {
    super(message, cause);
  }
}
