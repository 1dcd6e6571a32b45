package dev.holdfast.postgres.session;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Events that wait to be written: a bounded queue that gives up its oldest. Thread-safe. */
final class EventQueue {
  /**
   * @param nanos when it happened
   * @param details JSON
   */
  record Waiting(long ticketId, long leaseNo, long nanos, String event, String details) {}

  private final int capacity;
  private final Deque<Waiting> events = new ArrayDeque<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private long dropped;

  EventQueue(int capacity) {
    this.capacity = capacity;
  }

  synchronized void add(Waiting event) {
    if (isClosed()) {
      dropped++;
      return;
    }
    if (events.size() >= capacity) {
      events.removeFirst();
      dropped++;
    }
    events.add(event);
    notifyAll();
  }

  /** Returns the next events in order, once there are any; none when it is closed and empty. */
  synchronized List<Waiting> take(int most) throws InterruptedException {
    while (events.isEmpty() && !isClosed()) {
      wait();
    }
    List<Waiting> batch = new ArrayList<>();
    while (batch.size() < most && !events.isEmpty()) {
      batch.add(events.removeFirst());
    }
    return batch;
  }

  /** Waits, but not longer than until the queue is closed. */
  void pause(Duration time) throws InterruptedException {
    closing.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  synchronized void close() {
    closing.countDown();
    notifyAll();
  }

  boolean isClosed() {
    return closing.getCount() == 0;
  }

  /** Gives up what still waits. */
  synchronized void discard() {
    dropped += events.size();
    events.clear();
  }

  synchronized void countDropped(int more) {
    dropped += more;
  }

  synchronized long dropped() {
    return dropped;
  }
}
