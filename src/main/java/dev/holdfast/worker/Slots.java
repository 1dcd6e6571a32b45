package dev.holdfast.worker;

import java.util.concurrent.Semaphore;

/**
 * The worker's capacity: a ticket takes a slot from its claim until its outcome is stored (A47).
 * Thread-safe.
 */
final class Slots {
  /** More than any worker has. */
  private static final int WAITING_POLLERS = 1_000;

  private final Semaphore free;

  Slots(int concurrency) {
    this.free = new Semaphore(concurrency);
  }

  /**
   * Waits for a slot, then takes as many more as are free, up to the given number in all.
   *
   * @param spared how many of the others to leave to whoever comes meanwhile
   */
  int acquire(int atMost, int spared) throws InterruptedException {
    free.acquire();
    return withMore(atMost, spared);
  }

  /** Takes as many as are free, up to the given number. */
  int tryAcquire(int atMost) {
    return free.tryAcquire() ? withMore(atMost, 0) : 0;
  }

  private int withMore(int atMost, int spared) {
    int taken = 1;
    int more = Math.min(atMost - 1, free.availablePermits() - spared);
    while (more > 0 && !free.tryAcquire(more)) {
      more /= 2;
    }
    return taken + Math.max(0, more);
  }

  /** Lets waiting pollers go: the worker is stopping, and they claim nothing any more. */
  void open() {
    free.release(WAITING_POLLERS);
  }

  void release(int count) {
    free.release(count);
  }
}
