package dev.holdfast.cli;

import dev.holdfast.queue.CurrentWait;
import java.time.Duration;

/** How a terminal words what a ticket waits for (D31). */
final class WaitWords {
  private WaitWords() {}

  /** What it waits for, until when and why. */
  static String of(CurrentWait wait) {
    return switch (wait.kind()) {
      case SESSION_RETRY ->
          "its session retries" + count(wait) + until(wait) + ": " + wait.reason();
      case TICKET_RETRY -> "for its retry" + count(wait) + until(wait) + ": " + wait.reason();
      case PROVIDER -> "for a provider" + until(wait) + ", no retry used: " + wait.reason();
    };
  }

  /**
   * The line that counts down, for one second of it.
   *
   * @param left until the wait's end
   */
  static String countdown(CurrentWait wait, Duration left) {
    String seconds = " in " + Math.round(left.toMillis() / 1000.0) + "s… ";
    return wait.kind() == CurrentWait.Kind.PROVIDER
        ? "Waiting for "
            + wait.reason()
            + " until "
            + wait.until()
            + ", tried again"
            + seconds
            + "(esc to try now)"
        : "Retrying"
            + count(wait)
            + seconds
            + (endsAttempt(wait) ? "(esc to cancel)" : "(esc to try now)");
  }

  private static boolean endsAttempt(CurrentWait wait) {
    return wait.kind() == CurrentWait.Kind.SESSION_RETRY;
  }

  private static String until(CurrentWait wait) {
    return ", in " + Math.round(wait.left().toMillis() / 1000.0) + "s (" + wait.until() + ")";
  }

  private static String count(CurrentWait wait) {
    return wait.attempt() == null || wait.maxAttempts() == null
        ? ""
        : " (" + wait.attempt() + "/" + wait.maxAttempts() + ")";
  }
}
