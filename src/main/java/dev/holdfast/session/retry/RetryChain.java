package dev.holdfast.session.retry;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The state of a chain of auto-retries (D8): the counter, the promise that lasts as long as the
 * chain, and the abort of its wait. Thread-safe.
 */
public final class RetryChain {
  private int attempt;
  private CompletableFuture<Void> lifecycle = CompletableFuture.completedFuture(null);
  private boolean abortable;
  private boolean aborted;

  /** Of an earlier process; the chain is under way again with the next retry. */
  synchronized void resume(int retries) {
    attempt = retries;
  }

  /** Counts one more retry; the first one of this process begins the chain (D10, D11). */
  synchronized int next() {
    attempt++;
    if (lifecycle.isDone()) {
      lifecycle = new CompletableFuture<>();
    }
    abortable = true;
    aborted = false;
    return attempt;
  }

  /** The wait is over; an abort has nothing to abort any more. */
  synchronized void waited() {
    abortable = false;
  }

  /** D20. */
  synchronized void reset() {
    attempt = 0;
    abortable = false;
  }

  void finish() {
    complete(current());
  }

  void abort() {
    synchronized (this) {
      aborted |= abortable;
    }
    complete(current());
  }

  private static void complete(CompletableFuture<Void> lifecycle) {
    lifecycle.complete(null);
  }

  private synchronized CompletableFuture<Void> current() {
    return lifecycle;
  }

  synchronized boolean isAborted() {
    return aborted;
  }

  /** 0 while there is no chain. */
  synchronized int attempt() {
    return attempt;
  }

  /** Done where there is no chain. */
  public synchronized CompletionStage<Void> lifecycle() {
    return lifecycle.minimalCompletionStage();
  }

  public synchronized boolean isActive() {
    return !lifecycle.isDone();
  }
}
