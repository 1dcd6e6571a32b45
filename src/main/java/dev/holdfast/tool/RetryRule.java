package dev.holdfast.tool;

import dev.holdfast.process.NotPreparedException;
import dev.holdfast.tool.sandbox.SandboxFailedException;
import java.io.InterruptedIOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Decides which errors of a tool are worth another attempt, by their types (C5-C8, C38). */
final class RetryRule {
  private static final List<Class<? extends Exception>> NEVER =
      List.of(
          ModelRetryException.class,
          InterruptedException.class,
          ClosedByInterruptException.class,
          ValidationException.class,
          ConfigurationException.class,
          SecurityViolationException.class,
          SecurityException.class,
          GlobalRequestTimeoutException.class,
          StateException.class,
          SandboxFailedException.class,
          NotPreparedException.class);

  private static final int MAX_CAUSES = 20;

  private RetryRule() {}

  /** True if no attempt may follow, whatever else the error is too. */
  static boolean isNeverRetried(Exception error) {
    return NEVER.stream().anyMatch(type -> type.isInstance(error));
  }

  /** True if the call may have taken effect although it failed: no answer came in time. */
  static boolean mayHaveTakenEffect(Exception error) {
    @Nullable Throwable cause = error;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (isUnanswered(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean isUnanswered(Throwable error) {
    return switch (error) {
      case HttpConnectTimeoutException connect -> false;
      case PossiblyAppliedException applied -> true;
      case TimeoutException timeout -> true;
      case HttpTimeoutException timeout -> true;
      case InterruptedIOException timeout -> true;
      default -> false;
    };
  }

  /** True if somebody wants everything to stop (C30): the tool has not failed. */
  static boolean isAbort(Exception error) {
    return error instanceof InterruptedException || error instanceof ClosedByInterruptException;
  }
}
