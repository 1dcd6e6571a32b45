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

  /** Waits for a slot, then takes as many more as are free, up to the given number in all. */
  int acquire(int atMost) throws InterruptedException {
    free.acquire();
    return withMore(atMost);
  }

  /** As {@link #acquire}, but takes none where that would have to wait. */
  int tryAcquire(int atMost) {
    return free.tryAcquire() ? withMore(atMost) : 0;
  }

  private int withMore(int atMost) {
    int taken = 1;
    int more = Math.min(atMost - 1, free.availablePermits());
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
