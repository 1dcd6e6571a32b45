package dev.holdfast.cli.inspect;

import dev.holdfast.queue.read.CurrentWait;

/** Describes on a terminal what a ticket waits for (D31). */
final class WaitWords {
  private WaitWords() {}

  /** Returns the reason of the wait, and its end. */
  static String of(CurrentWait wait) {
    return switch (wait.kind()) {
      case SESSION_RETRY ->
          "its session retries" + count(wait) + until(wait) + ": " + wait.reason();
      case TICKET_RETRY -> "for its retry" + count(wait) + until(wait) + ": " + wait.reason();
      case PROVIDER -> "for a provider" + until(wait) + ", no retry used: " + wait.reason();
    };
  }

  /** Returns the countdown, without the key that ends it. */
  static String countdown(CurrentWait wait) {
    String seconds = " in " + Math.round(wait.left().toMillis() / 1000.0) + "s…";
    return wait.kind() == CurrentWait.Kind.PROVIDER
        ? "Waiting until " + wait.until() + "," + seconds + " for " + wait.reason()
        : "Retrying" + count(wait) + seconds;
  }

  /** Returns the effect of Escape: it ends only a session's retry. */
  static String wayOut(CurrentWait wait) {
    return wait.kind() == CurrentWait.Kind.SESSION_RETRY ? "(esc to cancel)" : "(esc to try now)";
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
