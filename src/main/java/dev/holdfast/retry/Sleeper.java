package dev.holdfast.retry;

import java.time.Duration;

/** Waits between two tries; a test passes one that only writes down how long. Thread-safe. */
@FunctionalInterface
public interface Sleeper {
  /** Sleeps on the calling thread. */
  Sleeper REAL = Thread::sleep;

  /**
   * Returns when the time is over.
   *
   * @throws InterruptedException at once when the thread is interrupted
   */
  void sleep(Duration time) throws InterruptedException;
}
