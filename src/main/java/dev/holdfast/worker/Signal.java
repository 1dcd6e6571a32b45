package dev.holdfast.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes waiting loops. A signal given between two waits is not lost. Thread-safe. */
final class Signal {
  /**
   * A time so far off that it never comes, and near enough that its sum with a clock does not
   * overflow.
   */
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition given = lock.newCondition();
  private long count;
  private boolean expected;
  private long expectedNanos;

  void give() {
    lock.lock();
    try {
      count++;
      given.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a signal after the delay to those who wait then. Of several delays the soonest counts.
   */
  void giveIn(Duration delay) {
    long nanos = System.nanoTime() + nanos(delay);
    lock.lock();
    try {
      if (!expected || nanos - expectedNanos < 0) {
        expected = true;
        expectedNanos = nanos;
        given.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of signals so far: pass it to {@link #await} to hear of later ones. */
  long count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a signal after {@code seen}, at most for the given time. Returns whether there was
   * one.
   */
  boolean await(long seen, Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + nanos(atMost);
    lock.lock();
    try {
      while (count == seen) {
        long left = deadline - System.nanoTime();
        long untilExpected = expected ? expectedNanos - System.nanoTime() : Long.MAX_VALUE;
        if (untilExpected <= 0) {
          expected = false;
          count++;
          given.signalAll();
        } else if (left <= 0) {
          return false;
        } else {
          given.awaitNanos(Math.min(left, untilExpected));
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private static long nanos(Duration duration) {
    return Math.min(TimeUnit.NANOSECONDS.convert(duration), NEVER_NANOS);
  }
}
