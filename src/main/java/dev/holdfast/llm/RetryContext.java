package dev.holdfast.llm;

import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The limits that all retry layers of one attempt share, so that retries never multiply: one
 * deadline, one budget of model calls and one stop. A stop ends waits and lets no further call
 * begin. A call that already runs may finish, because it is paid for. Cancellation, which ends
 * calls too, is the interrupt of the attempt's thread. Thread-safe.
 */
public final class RetryContext {
  private final LongSupplier nanoTime;
  private final long deadlineNanos;
  private final AtomicInteger callsLeft;
  private final Set<Thread> waiting = new HashSet<>();
  private boolean stopped;

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

  /** Puts one call back, because nothing was sent. */
  public void giveBackCall() {
    callsLeft.getAndUpdate(left -> left == Integer.MAX_VALUE ? left : left + 1);
  }

  /** Ends the waits of all layers; no call begins any more. It cannot be taken back. */
  public synchronized void stop() {
    stopped = true;
    waiting.forEach(Thread::interrupt);
  }

  /**
   * Checks before each call that the attempt goes on.
   *
   * @throws InterruptedException once the attempt is stopped
   */
  public synchronized void requireGoingOn() throws InterruptedException {
    if (stopped) {
      throw new InterruptedException("stopped before a call of a model");
    }
  }

  /**
   * Waits before a call; there is no other way to wait.
   *
   * @throws InterruptedException once the attempt is stopped, before the wait or in it; or where
   *     the thread is interrupted
   */
  public void sleep(Sleeper sleeper, Duration time) throws InterruptedException {
    synchronized (this) {
      requireGoingOn();
      waiting.add(Thread.currentThread());
    }
    try {
      sleeper.sleep(time);
    } finally {
      synchronized (this) {
        waiting.remove(Thread.currentThread());
      }
    }
    if (isStopped()) {
      // The interrupt may have come after the last instant of the wait.
      Thread.interrupted();
    }
    requireGoingOn();
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  /** Zero once the deadline is over; no layer sleeps past it. */
  public Duration timeLeft() {
    return Duration.ofNanos(Math.max(0, deadlineNanos - nanoTime.getAsLong()));
  }

  /** Returns the given time, or the time left before the deadline where that is shorter. */
  public Duration atMost(Duration time) {
    Duration left = timeLeft();
    return left.compareTo(time) < 0 ? left : time;
  }
}
