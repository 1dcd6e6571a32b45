package dev.holdfast.worker;

import dev.holdfast.queue.Finish;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Attempts that have ended and wait to be stored. They are taken in batches of bounded size and
 * length: a thousand results of a megabyte each do not fit into one statement. A batch has
 * successes or anything else, never both: successes alone are one statement. Thread-safe.
 */
final class EndedRuns {
  /**
   * The runs that a thread takes first. It takes the others only while it has nothing else to do.
   */
  enum Wanted {
    /** Takes successes, and anything else only while there are no successes. */
    SUCCESSES_FIRST,

    /**
     * Takes anything but successes. It takes successes only while there is nothing else and the
     * thread that takes them first is slow: it waits for a lock or a disk, or frees tickets that
     * waited for these.
     */
    OTHERS_FIRST
  }

  private static final Duration FOREVER = Duration.ofDays(365);
  private static final int MOST_SUCCESSES = 2_000;

  /**
   * The size of a batch of others. One costs two to four times a success, and the batch should not
   * take longer for it.
   */
  private static final int MOST_OTHERS = MOST_SUCCESSES / 4;

  private static final long MOST_CHARS = 8_000_000;

  /**
   * The time after which a batch is slow: a little more than 2,000 usual successes take. One
   * connection stores those faster than two.
   */
  private static final long SLOW_NANOS = Duration.ofMillis(25).toNanos();

  /** A line of runs: the first that comes is stored first. */
  private static final class Line {
    final Deque<TicketRun> runs = new ArrayDeque<>();
    private final int mostAtOnce;

    Line(int mostAtOnce) {
      this.mostAtOnce = mostAtOnce;
    }

    List<TicketRun> batch() {
      List<TicketRun> batch = new ArrayList<>();
      long chars = 0;
      while (!runs.isEmpty() && batch.size() < mostAtOnce && chars < MOST_CHARS) {
        TicketRun run = runs.removeFirst();
        batch.add(run);
        chars += length(run.finish());
      }
      return batch;
    }
  }

  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Line successes = new Line(MOST_SUCCESSES);
  private final Line others = new Line(MOST_OTHERS);
  private boolean closed;

  /**
   * Whether the thread that takes successes first is storing: from its batch until it asks for the
   * next.
   */
  private boolean storing;

  private long storingSinceNanos;

  EndedRuns() {
    this(System::nanoTime);
  }

  /**
   * @param nanoTime the clock that shows whether a batch is slow
   */
  EndedRuns(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Adds a run. Returns false once this is closed: then perhaps nobody takes it any more. */
  boolean add(TicketRun run) {
    lock.lock();
    try {
      (run.finish() instanceof Finish.Succeeded ? successes : others).runs.add(run);
      changed.signalAll();
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waiting: from now on nobody waits for more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether this is closed and everything that is wanted was taken. */
  boolean isClosed(Wanted wanted) {
    lock.lock();
    try {
      return closed && line(wanted).runs.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until something has ended. The list is empty only if this is closed. */
  List<TicketRun> take(Wanted wanted) throws InterruptedException {
    return poll(wanted, FOREVER);
  }

  /** Waits at most this long; the list is empty if nothing has ended by then. */
  List<TicketRun> poll(Wanted wanted, Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    lock.lock();
    try {
      if (wanted == Wanted.SUCCESSES_FIRST) {
        storing = false;
      }
      while (line(wanted).runs.isEmpty() && !closed) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          break;
        }
        changed.awaitNanos(Math.min(left, nanosUntilSlow(wanted)));
      }
      return batch(wanted);
    } finally {
      lock.unlock();
    }
  }

  private List<TicketRun> batch(Wanted wanted) {
    List<TicketRun> batch = line(wanted).batch();
    if (wanted == Wanted.SUCCESSES_FIRST && !batch.isEmpty()) {
      storing = true;
      storingSinceNanos = nanoTime.getAsLong();
      if (!successes.runs.isEmpty()) {
        changed.signalAll(); // the other one may have to count the time
      }
    }
    return batch;
  }

  private Line line(Wanted wanted) {
    boolean takesSuccesses =
        wanted == Wanted.SUCCESSES_FIRST
            ? !successes.runs.isEmpty()
            : others.runs.isEmpty() && storing && nanosUntilSlow(wanted) <= 0;
    return takesSuccesses ? successes : others;
  }

  private long nanosUntilSlow(Wanted wanted) {
    return wanted == Wanted.OTHERS_FIRST && storing && !successes.runs.isEmpty()
        ? storingSinceNanos + SLOW_NANOS - nanoTime.getAsLong()
        : Long.MAX_VALUE;
  }

  private static int length(Finish finish) {
    return switch (finish) {
      case Finish.Succeeded succeeded -> {
        String result = succeeded.result();
        yield result == null ? 0 : result.length();
      }
      case Finish.Failed failed -> failed.failure().message().length();
      case Finish.Parked parked -> parked.details().length();
      case Finish.Advanced advanced -> advanced.plan().length();
      case Finish.Deferred deferred -> 0;
      case Finish.GivenBack givenBack -> 0;
    };
  }
}
