package dev.holdfast.tool.workspace;

import dev.holdfast.tool.TooBroadPatternException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The end of the time of a search (C22). Used by one thread. */
final class SearchDeadline {
  private final LongSupplier nanoTime;
  private final Duration time;
  private final long end;

  SearchDeadline(LongSupplier nanoTime, Duration time) {
    this.nanoTime = nanoTime;
    this.time = time;
    this.end = nanoTime.getAsLong() + time.toNanos();
  }

  /**
   * @throws TooBroadPatternException when the time is over, or the thread is interrupted: whoever
   *     interrupted it does not look at what comes out
   */
  void check() {
    if (Thread.currentThread().isInterrupted()) {
      throw new TooBroadPatternException("The search was interrupted");
    }
    if (nanoTime.getAsLong() - end >= 0) {
      throw new TooBroadPatternException(
          "The search did not end within "
              + time.toSeconds()
              + " s: use a more exact pattern, a path or a glob");
    }
  }
}
