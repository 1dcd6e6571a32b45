package dev.holdfast.peers;

import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The jobs of one drain: when the first started, and how many ran. Thread-safe. */
final class JobCount {
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final long LOOK_EVERY_NANOS = 500_000;

  private final String peer;
  private final int expected;
  private final AtomicLong started = new AtomicLong();
  private final CountDownLatch all = new CountDownLatch(1);
  private volatile long firstNanos;

  JobCount(String peer, int expected) {
    this.peer = peer;
    this.expected = expected;
  }

  /** What every job does, and all it does. */
  void job() {
    long number = started.incrementAndGet();
    if (number == 1) {
      firstNanos = System.nanoTime();
    }
    if (number == expected) {
      all.countDown();
    }
  }

  /**
   * Waits until all have run and the tables show it.
   *
   * @param atRest whether the tables show nothing pending or running
   * @return jobs per second
   */
  double awaitRate(BooleanSupplier atRest) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    if (!all.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw late();
    }
    while (!atRest.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw late();
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
    return expected * 1e9 / (System.nanoTime() - firstNanos);
  }

  private HoldfastException late() {
    return new HoldfastException(
        peer
            + " ran only "
            + started
            + " of "
            + expected
            + " jobs in "
            + PATIENCE.toMinutes()
            + " min; take fewer with -Dbench.tickets");
  }

  /**
   * @param kept jobs that the peer's tables count as done, or {@code expected} where it deletes
   *     them
   * @param left jobs that its tables still show as not done
   * @throws HoldfastException if the run does not count
   */
  void verify(long kept, long left) {
    if (started.get() != expected || kept != expected || left != 0) {
      throw new HoldfastException(
          peer
              + "'s run is void: of "
              + expected
              + " jobs "
              + started
              + " ran; its tables say "
              + kept
              + " are done and "
              + left
              + " are not");
    }
  }
}
