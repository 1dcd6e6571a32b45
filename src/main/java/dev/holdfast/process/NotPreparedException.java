package dev.holdfast.process;

/**
 * A program was not started because this machine has no room for any: a full disk, too many
 * processes or open files. Another machine could start it. The message says what to do.
 *
 * <p>It is no {@link java.io.IOException}, because it is not the program's fault: code that judges
 * what a program did must not judge this.
 */
public final class NotPreparedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotPreparedException(String message, Throwable cause) {
    super(message, cause);
  }
}
