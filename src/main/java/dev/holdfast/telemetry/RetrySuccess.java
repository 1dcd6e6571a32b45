package dev.holdfast.telemetry;

import java.util.concurrent.atomic.LongAdder;

/** How many finished retries succeeded (A65). Thread-safe. */
final class RetrySuccess {
  private final LongAdder finished = new LongAdder();
  private final LongAdder succeeded = new LongAdder();

  void finished(boolean wasRetry, boolean success) {
    if (wasRetry) {
      finished.increment();
      if (success) {
        succeeded.increment();
      }
    }
  }

  /** From 0 to 100; 0 when no retry has finished. */
  double percent() {
    long all = finished.sum();
    return all == 0 ? 0 : 100.0 * succeeded.sum() / all;
  }
}
