package dev.holdfast.bench;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts committed tickets and notes when each window of them was full. Thread-safe. */
final class Windows implements TicketListener {
  private final int size;
  private final long expected;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLongArray ends;
  private final CountDownLatch complete = new CountDownLatch(1);

  /**
   * @param size the tickets per window
   * @param expected the tickets in all
   */
  Windows(int size, long expected) {
    this.size = size;
    this.expected = expected;
    this.ends = new AtomicLongArray(Math.toIntExact(expected / size));
  }

  @Override
  public void on(TicketEvent event) {
    if (event instanceof TicketEvent.Succeeded) {
      add(1);
    }
  }

  void add(long committed) {
    long now = count.addAndGet(committed);
    long full = now / size;
    for (long i = (now - committed) / size; i < full && i < ends.length(); i++) {
      ends.set((int) i, System.nanoTime());
    }
    if (now >= expected) {
      complete.countDown();
    }
  }

  long count() {
    return count.get();
  }

  /**
   * @throws HoldfastException if the expected number is not reached in time
   */
  void awaitAll(Duration atMost) throws InterruptedException {
    if (!complete.await(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new HoldfastException(
          "only "
              + count
              + " of "
              + expected
              + " tickets were finished in "
              + atMost.toSeconds()
              + " s; look at the worker's log, or take fewer with --tickets");
    }
  }

  /** Tickets per second from the start to the end of the last full window. */
  double committedRate(long startNanos) {
    int last = ends.length() - 1;
    return (last + 1.0) * size * 1e9 / (ends.get(last) - startNanos);
  }

  /** Tickets per second in each window. */
  List<Double> rates(long startNanos) {
    List<Double> rates = new ArrayList<>();
    long last = startNanos;
    for (int i = 0; i < ends.length(); i++) {
      rates.add(size * 1e9 / (ends.get(i) - last));
      last = ends.get(i);
    }
    return rates;
  }

  int size() {
    return size;
  }
}
