package dev.holdfast.worker.output;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.output.OutputLog;
import dev.holdfast.secret.Secrets;
import dev.holdfast.ticket.ClaimedTicket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what all programs of a worker print, about once a second and all of them together. If
 * nothing is printed, nothing is written. While the database is away, running programs lose all but
 * the kept end of their output, and the oldest output of ended programs is given up. Nobody waits
 * for it. Thread-safe.
 */
public final class OutputCollector implements OutputFollower, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OutputCollector.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration AFTER_END = Duration.ofMillis(200);
  private static final Duration LAST_WRITE = Duration.ofSeconds(5);
  private static final int MOST_WAITING = 16 << 20;
  private static final int MOST_AT_ONCE = 2 << 20;

  private final OutputLog store;
  private final Secrets secrets;
  private final Set<Follow> running = new LinkedHashSet<>();
  private final Deque<OutputChunk> waiting = new ArrayDeque<>();
  private final Thread writer;
  private long waitingLength;
  private long dueAt;
  private boolean closed;

  /**
   * Starts its thread.
   *
   * @param secrets the values that no output may contain
   */
  public OutputCollector(OutputLog store, Secrets secrets) {
    this.store = store;
    this.secrets = secrets;
    this.writer = Thread.ofVirtual().name("job-output").start(this::run);
  }

  /** The two outputs of one program. */
  private final class Follow implements Followed {
    private final StreamText stdout;
    private final StreamText stderr;

    Follow(StreamText stdout, StreamText stderr) {
      this.stdout = stdout;
      this.stderr = stderr;
    }

    synchronized List<OutputChunk> take(boolean ended) {
      List<OutputChunk> pieces = new ArrayList<>(2);
      for (StreamText each : List.of(stdout, stderr)) {
        OutputChunk piece = each.take(ended);
        if (piece != null) {
          pieces.add(piece);
        }
      }
      return pieces;
    }

    @Override
    public void close() {
      ended(this);
    }
  }

  @Override
  public Followed follow(
      ClaimedTicket claimed, Map<String, String> hidden, OutputSource stdout, OutputSource stderr) {
    Secrets all = hidden.isEmpty() ? secrets : secrets.and(hidden);
    long id = claimed.id();
    long lease = claimed.lease().no();
    Follow follow =
        new Follow(
            new StreamText(id, lease, OutputChunk.STDOUT, stdout, all),
            new StreamText(id, lease, OutputChunk.STDERR, stderr, all));
    synchronized (this) {
      if (running.isEmpty() && waiting.isEmpty()) {
        dueAt = System.nanoTime() + EVERY.toNanos();
      }
      running.add(follow);
      notifyAll();
    }
    return follow;
  }

  private void ended(Follow follow) {
    synchronized (this) {
      running.remove(follow);
    }
    List<OutputChunk> last = follow.take(true);
    synchronized (this) {
      last.forEach(this::keep);
      if (!last.isEmpty()) {
        dueAt = Math.min(dueAt, System.nanoTime() + AFTER_END.toNanos());
        notifyAll();
      }
    }
  }

  private synchronized void keep(OutputChunk piece) {
    waiting.add(piece);
    waitingLength += piece.text().length();
    while (waitingLength > MOST_WAITING) {
      OutputChunk oldest = waiting.removeFirst();
      waitingLength -= oldest.text().length();
      log.warn("ticket {}: output that could not be stored is given up", oldest.ticketId());
    }
  }

  private void run() {
    try {
      while (awaitDue()) {
        round();
      }
      round();
    } catch (InterruptedException e) {
      log.debug("the writer of output was interrupted");
    }
  }

  /** Does one round. An error ends the round, not the loop: one writer serves all programs. */
  private void round() {
    try {
      write();
    } catch (RuntimeException | Error e) {
      log.error("the output of programs was not stored", e);
    }
  }

  /** Waits for the next round; returns false once this is closed. */
  private synchronized boolean awaitDue() throws InterruptedException {
    while (!closed) {
      if (running.isEmpty() && waiting.isEmpty()) {
        wait();
        continue;
      }
      long left = dueAt - System.nanoTime();
      if (left <= 0) {
        dueAt = System.nanoTime() + EVERY.toNanos();
        return true;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return false;
  }

  /**
   * Writes ended programs first, then running ones, which keep the end of their output themselves.
   */
  private void write() {
    if (!writeWaiting()) {
      return;
    }
    List<Follow> all;
    synchronized (this) {
      all = List.copyOf(running);
    }
    for (Follow each : all) {
      each.take(false).forEach(this::keep);
    }
    writeWaiting();
  }

  /** Writes the output that waits; returns false if the database is away. */
  private boolean writeWaiting() {
    while (true) {
      List<OutputChunk> batch = nextBatch();
      if (batch.isEmpty()) {
        return true;
      }
      try {
        store.append(batch);
      } catch (DatabaseUnavailableException | TicketBusyException e) {
        putBack(batch);
        return false;
      } catch (RuntimeException e) {
        log.warn("the output of {} programs was not stored", batch.size(), e);
      }
    }
  }

  private synchronized List<OutputChunk> nextBatch() {
    List<OutputChunk> batch = new ArrayList<>();
    for (int length = 0; length < MOST_AT_ONCE && !waiting.isEmpty(); ) {
      OutputChunk piece = waiting.removeFirst();
      length += piece.text().length();
      waitingLength -= piece.text().length();
      batch.add(piece);
    }
    return batch;
  }

  private synchronized void putBack(List<OutputChunk> batch) {
    for (OutputChunk piece : batch.reversed()) {
      waiting.addFirst(piece);
      waitingLength += piece.text().length();
    }
  }

  /** Writes what is left, for up to 5 s. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      if (!writer.join(LAST_WRITE)) {
        writer.interrupt();
      }
    } catch (InterruptedException e) {
      writer.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
