package dev.holdfast.worker;

import dev.holdfast.queue.Finish;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Attempts that have ended and wait to be stored, taken in batches of bounded size and length: a
 * thousand results of a megabyte each do not fit into one statement. A batch is of successes or of
 * anything else, never mixed: successes alone are one statement. Thread-safe.
 */
final class EndedRuns {
  /** The runs that somebody takes. */
  enum Wanted {
    /** Successes first. */
    ANY,
    NO_SUCCESSES
  }

  private static final int MOST_SUCCESSES = 2_000;

  /** A failure costs two to four times a success, and a batch should not take longer for it. */
  private static final int MOST_OTHERS = MOST_SUCCESSES / 4;

  private static final long MOST_CHARS = 8_000_000;

  /** First come, first stored. */
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

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Line successes = new Line(MOST_SUCCESSES);
  private final Line others = new Line(MOST_OTHERS);
  private boolean closed;

  void add(TicketRun run) {
    lock.lock();
    try {
      (run.finish() instanceof Finish.Succeeded ? successes : others).runs.add(run);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** From now on nobody waits for more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** True once it is closed and everything that is wanted was taken. */
  boolean isClosed(Wanted wanted) {
    lock.lock();
    try {
      return closed && line(wanted).runs.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until something has ended. Empty only if it is closed. */
  List<TicketRun> take(Wanted wanted) throws InterruptedException {
    lock.lock();
    try {
      while (line(wanted).runs.isEmpty() && !closed) {
        changed.await();
      }
      return line(wanted).batch();
    } finally {
      lock.unlock();
    }
  }

  /** Waits so long at most; empty if nothing has ended by then. */
  List<TicketRun> poll(Wanted wanted, Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lock();
    try {
      while (line(wanted).runs.isEmpty() && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return line(wanted).batch();
    } finally {
      lock.unlock();
    }
  }

  private Line line(Wanted wanted) {
    return wanted == Wanted.NO_SUCCESSES || successes.runs.isEmpty() ? others : successes;
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
