package dev.holdfast.llm;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What all retry layers of one attempt share, so that they never multiply into a storm: one
 * deadline and one budget of model calls. Cancellation is the interrupt of the attempt's thread.
 * Thread-safe.
 */
public final class RetryContext {
  private final LongSupplier nanoTime;
  private final long deadlineNanos;
  private final AtomicInteger callsLeft;

  /**
   * @param timeAllowed from now on
   * @param maxCalls model calls in all; 0 for no bound
   */
  public RetryContext(Duration timeAllowed, int maxCalls, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.deadlineNanos = nanoTime.getAsLong() + timeAllowed.toNanos();
    this.callsLeft = new AtomicInteger(maxCalls == 0 ? Integer.MAX_VALUE : maxCalls);
  }

  /** Takes one call off the budget; false where none or no time is left. */
  public boolean takeCall() {
    return !timeLeft().isZero() && callsLeft.getAndUpdate(left -> left == 0 ? 0 : left - 1) > 0;
  }

  /** Puts one back: nothing was sent. */
  public void giveBackCall() {
    callsLeft.getAndUpdate(left -> left == Integer.MAX_VALUE ? left : left + 1);
  }

  /** Zero once the deadline is over; no layer sleeps past it. */
  public Duration timeLeft() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - nanoTime.getAsLong()));
  }
}
