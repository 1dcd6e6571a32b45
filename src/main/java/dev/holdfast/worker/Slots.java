package dev.holdfast.worker;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The worker's capacity. A ticket has a slot from its claim until its handler has ended (A47), so
 * that the next one is claimed while its result waits for the commit. The results that may wait so
 * are an eighth of the slots; beyond that a slot is kept until something is stored, because results
 * would pile up behind a slow database. Slots can be closed if the machine has no room for them.
 * Thread-safe.
 */
final class Slots {
  /** The permits that let the pollers go: more than any worker has pollers. */
  private static final int WAITING_POLLERS = 1_000;

  private static final int SLOTS_PER_WAITING_RESULT = 8;

  private final Permits free;
  private final int concurrency;
  private final int mayWait;
  private final AtomicInteger waiting = new AtomicInteger();

  /** The number of slots that cannot be used now. */
  private int closed;

  Slots(int concurrency) {
    this.free = new Permits(concurrency);
    this.concurrency = concurrency;
    this.mayWait = concurrency / SLOTS_PER_WAITING_RESULT;
  }

  /**
   * Waits for a slot, then takes as many more as are free, up to the given number in all.
   *
   * @param spared how many of the others stay free for a claim that comes meanwhile
   */
  int acquire(int atMost, int spared) throws InterruptedException {
    free.acquire();
    return withMore(atMost, spared);
  }

  /** Takes as many as are free, up to the given number, without waiting. */
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

  /** Releases slots that were not needed. */
  void release(int count) {
    free.release(count);
  }

  /** Closes a slot: from now on one ticket fewer runs at once, but at least one. */
  synchronized void closeOne() {
    if (closed < concurrency - 1) {
      closed++;
      free.remove();
    }
  }

  /**
   * Opens closed slots, as many as are open.
   *
   * @return how many are open then; 0 if none was closed
   */
  synchronized int openMore() {
    if (closed == 0) {
      return 0;
    }
    int more = Math.min(closed, concurrency - closed);
    closed -= more;
    free.release(more);
    return concurrency - closed;
  }

  /** Notes that a handler has ended; its result waits for {@link #stored}. */
  void ended() {
    if (waiting.incrementAndGet() <= mayWait) {
      free.release();
    }
  }

  /** Notes that a result is stored, or given up. */
  void stored() {
    if (waiting.getAndDecrement() > mayWait) {
      free.release();
    }
  }

  private static final class Permits extends Semaphore {
    private static final long serialVersionUID = 1;

    Permits(int count) {
      super(count);
    }

    /** Removes a permit; one that is in use is gone once it is released. */
    void remove() {
      reducePermits(1);
    }
  }
}
