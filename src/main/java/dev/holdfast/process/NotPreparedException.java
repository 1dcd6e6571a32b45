package dev.holdfast.process;

/**
 * A program was not started because this machine has no room for any: a full disk, too many
 * processes or open files. Another machine could start it. The message says what to do.
 *
 * <p>No {@link java.io.IOException}, for it is not the program's: whoever judges what a program did
 * or failed to do has nothing to judge.
 */
public final class NotPreparedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotPreparedException(String message, Throwable cause) {
    super(message, cause);
  }
}
