package dev.holdfast.cli.output;

import dev.holdfast.config.ConfigException;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;

/** The exit codes of commands, for scripts. */
public final class ExitCode {
  public static final int DONE = 0;
  public static final int FAILED = 1;
  public static final int WRONG_USAGE = 2;

  /** The code for a thing that was not found, or is not allowed from this state. */
  public static final int REFUSED = 3;

  public static final int DATABASE_UNREACHABLE = 4;

  private ExitCode() {}

  /** Returns the code for an exception that ended a command. */
  public static int of(Throwable failure) {
    return switch (failure) {
      case UsageException e -> WRONG_USAGE;
      case ConfigException e -> WRONG_USAGE;
      case InvalidInputException e -> WRONG_USAGE;
      case NotFoundException e -> REFUSED;
      case IllegalTransitionException e -> REFUSED;
      case StatementRefusedException e -> FAILED;
      case DatabaseUnavailableException e -> DATABASE_UNREACHABLE;
      default -> FAILED;
    };
  }
}
