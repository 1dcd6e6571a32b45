package dev.holdfast.process;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the process table for all threads that want to look at it. A thread that comes while it is
 * read waits for the next reading, which serves all that came before it began. Where hundreds of
 * programs are ended at once, hundreds of readings would end none of them. Thread-safe.
 */
final class ProcessTables {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition read = lock.newCondition();
  private Reading next = new Reading();
  private boolean underWay;
  private @Nullable ProcessTable latest;

  /**
   * One reading, for all threads that came before it began. A later reading may leave out what they
   * ask for.
   */
  private static final class Reading {
    /** The earliest start that any of them asks for. */
    private long oldest = Long.MAX_VALUE;

    private @Nullable ProcessTable table;
  }

  /**
   * Returns the table as it was at some time after the call.
   *
   * @param since processes started before may be missing
   * @throws IOException if it cannot be read, as when the worker has no file handle left
   */
  ProcessTable look(long since) throws IOException {
    lock.lock();
    try {
      Reading mine = next;
      mine.oldest = Math.min(mine.oldest, since);
      while (mine.table == null) {
        if (underWay) {
          read.awaitUninterruptibly();
        } else {
          read(mine);
        }
      }
      return mine.table;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads without the lock, so that neither later threads nor those that were served queue up
   * behind it.
   */
  private void read(Reading reading) throws IOException {
    underWay = true;
    next = new Reading();
    long since = reading.oldest;
    ProcessTable before = latest;
    ProcessTable table = null;
    lock.unlock();
    try {
      table = ProcessTable.read(since, before);
    } finally {
      lock.lock();
      underWay = false;
      if (table != null) {
        latest = table;
        reading.table = table;
      }
      read.signalAll();
    }
  }
}
