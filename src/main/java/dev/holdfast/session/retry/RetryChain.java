package dev.holdfast.session.retry;

/**
 * The state of a chain of auto-retries (D8): the counter, and the abort of the wait. A chain ends
 * before its session's {@code run} returns. Thread-safe.
 */
final class RetryChain {
  private int attempt;
  private boolean abortable;
  private boolean aborted;

  /**
   * Takes over the retries of an earlier process; the chain is under way again with the next retry.
   */
  synchronized void resume(int retries) {
    attempt = retries;
  }

  /** Counts one more retry; the first one of this process begins the chain (D10, D11). */
  synchronized int next() {
    attempt++;
    abortable = true;
    aborted = false;
    return attempt;
  }

  /** Notes that the wait is over, so that an abort has nothing to abort any more. */
  synchronized void waited() {
    abortable = false;
  }

  /** Ends the chain (D20). */
  synchronized void reset() {
    attempt = 0;
    abortable = false;
  }

  synchronized void abort() {
    aborted |= abortable;
  }

  synchronized boolean isAborted() {
    return aborted;
  }

  /** 0 while there is no chain. */
  synchronized int attempt() {
    return attempt;
  }
}
