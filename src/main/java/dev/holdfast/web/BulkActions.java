package dev.holdfast.web;

import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.TicketNotFoundException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one thing to many tickets in the background. What a process has begun and not finished when
 * it ends is not gone on with; the tickets it had not come to are as they were. The progress of the
 * last 200 is kept. Thread-safe.
 */
public final class BulkActions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BulkActions.class);
  private static final int KEPT = 200;

  private final Map<String, BulkAction> actions =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BulkAction> eldest) {
          return size() > KEPT;
        }
      };
  private volatile boolean closed;

  /**
   * Starts.
   *
   * @param action what is done, in the past: {@code released}
   * @param ids read while it goes on, by one thread
   * @param change what is done to a ticket; {@link IllegalTransitionException} and {@link
   *     TicketNotFoundException} are refusals, anything else ends it
   */
  public BulkAction start(String action, Iterator<Long> ids, LongConsumer change) {
    BulkAction bulk = new BulkAction(UUID.randomUUID().toString(), action);
    synchronized (actions) {
      actions.put(bulk.id(), bulk);
    }
    Thread.ofVirtual().name("bulk-" + action).start(() -> run(bulk, ids, change));
    return bulk;
  }

  public Optional<BulkAction> find(String id) {
    synchronized (actions) {
      return Optional.ofNullable(actions.get(id));
    }
  }

  private void run(BulkAction bulk, Iterator<Long> ids, LongConsumer change) {
    try {
      while (!closed && ids.hasNext()) {
        apply(bulk, ids.next(), change);
      }
      if (closed) {
        bulk.fail("the process that did it was stopped");
      }
    } catch (HoldfastException e) {
      log.warn("a bulk action ended early: {}", e.getMessage());
      bulk.fail("the database could not be reached; what is done is done, try the rest again");
    } finally {
      bulk.finish();
    }
  }

  private static void apply(BulkAction bulk, long id, LongConsumer change) {
    try {
      change.accept(id);
      bulk.countDone();
    } catch (IllegalTransitionException | TicketNotFoundException e) {
      bulk.countRefused(id, String.valueOf(e.getMessage()));
    }
  }

  /** Those that run end after the ticket they are at. */
  @Override
  public void close() {
    closed = true;
  }
}
