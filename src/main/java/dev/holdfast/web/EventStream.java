package dev.holdfast.web;

import dev.holdfast.queue.read.TicketFeed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of events for one visitor. A visitor who is too slow gets a note in place of the
 * events. Thread-safe.
 */
public final class EventStream implements AutoCloseable {
  private static final int WAITING = 12_000;

  private final String visitor;
  private final @Nullable Long ticketId;
  private final boolean isNew;
  private final Consumer<EventStream> onClose;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<TicketFeed.Event> waiting = new ArrayDeque<>();
  private @Nullable String id;
  private boolean begun;
  private boolean late;
  private boolean missed;
  private boolean closed;

  /**
   * The events to send.
   *
   * @param id sent once to a visitor who came without one: under it a browser comes back for these
   *     events and all later ones; otherwise null
   * @param missed whether events are missing before these: what was built from earlier ones must be
   *     loaded again
   * @param closed whether nothing more will come
   */
  public record Batch(
      @Nullable String id, List<TicketFeed.Event> events, boolean missed, boolean closed) {}

  /**
   * @param isNew whether the visitor has no id yet. A visitor with an id must still get what
   *     followed it, and gets no newer id before that.
   */
  EventStream(
      String visitor, boolean isNew, @Nullable Long ticketId, Consumer<EventStream> onClose) {
    this.visitor = visitor;
    this.isNew = isNew;
    this.ticketId = ticketId;
    this.onClose = onClose;
  }

  boolean isOf(String name) {
    return visitor.equals(name);
  }

  /**
   * Waits until nothing that happens from now on is left out. If that takes longer than the
   * patience, it is noted as missed once it begins.
   *
   * @return whether it has begun
   */
  boolean awaitBegin(Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (!begun && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      late = !begun;
      return begun;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that from now on the stream gets every event. If it had begun before, something in
   * between is missing.
   *
   * @param present the id under which a browser comes back for all of it
   */
  void begin(String present) {
    lock.lock();
    try {
      if (isNew && !begun) {
        id = present;
      }
      missed |= late || begun;
      begun = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for something to send; returns an empty batch if there is nothing in this time. */
  public Batch take(Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (id == null && waiting.isEmpty() && !missed && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      Batch batch = new Batch(id, List.copyOf(waiting), missed, closed);
      id = null;
      waiting.clear();
      missed = false;
      return batch;
    } finally {
      lock.unlock();
    }
  }

  void offer(List<TicketFeed.Event> events) {
    lock.lock();
    try {
      events.stream().filter(this::isWanted).forEach(waiting::addLast);
      if (waiting.size() > WAITING) {
        waiting.clear();
        missed = true;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Puts older events before those that already wait, each once. */
  void offerFirst(List<TicketFeed.Event> older) {
    lock.lock();
    try {
      Set<String> known = new HashSet<>();
      List<TicketFeed.Event> all = new ArrayList<>(older);
      all.addAll(waiting);
      waiting.clear();
      offer(all.stream().filter(event -> known.add(event.key())).toList());
    } finally {
      lock.unlock();
    }
  }

  void reset() {
    lock.lock();
    try {
      missed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean isWanted(TicketFeed.Event event) {
    return ticketId == null || event.entry().ticketId() == ticketId;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    onClose.accept(this);
  }
}
