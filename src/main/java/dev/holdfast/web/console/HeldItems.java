package dev.holdfast.web.console;

import dev.holdfast.queue.view.ConsoleReader;
import dev.holdfast.queue.view.TicketQuery;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The held tickets that match, read in batches. Used by one thread. */
final class HeldItems implements Iterator<BulkRun.Item> {
  private static final int BATCH = 500;

  private final ConsoleReader reader;
  private final TicketQuery query;
  private final Instant seen;
  private final Deque<Long> batch = new ArrayDeque<>();
  private long last;
  private boolean atEnd;

  /**
   * @param seen tickets that were held later are left alone
   */
  HeldItems(ConsoleReader reader, TicketQuery query, Instant seen) {
    this.reader = reader;
    this.query = query;
    this.seen = seen;
  }

  @Override
  public boolean hasNext() {
    if (batch.isEmpty() && !atEnd) {
      batch.addAll(reader.heldIds(query, last, seen, BATCH));
      atEnd = batch.size() < BATCH;
      last = batch.isEmpty() ? last : batch.getLast();
    }
    return !batch.isEmpty();
  }

  @Override
  public BulkRun.Item next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return new BulkRun.Item(batch.removeFirst(), null);
  }
}
