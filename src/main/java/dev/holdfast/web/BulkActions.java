package dev.holdfast.web;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Runs one action on many tickets in the background. When the process ends, no other process
 * continues the action: the tickets that it had not reached stay unchanged. Running actions are
 * kept, and the newest {@value #KEPT} that have ended. Thread-safe.
 */
public final class BulkActions implements AutoCloseable {
  private static final int KEPT = 50;

  private final Map<String, BulkAction> actions = new LinkedHashMap<>();
  private boolean closed;

  /** Returns an id for an action, which no other action has in any process. */
  public static String newId() {
    return UUID.randomUUID().toString();
  }

  /**
   * Starts an action.
   *
   * @param id the id from {@link #newId}
   * @param action what is done, in the past: {@code released}
   * @param items the tickets, read while it goes on, by one thread
   * @param change what is done to a ticket. A {@link dev.holdfast.ticket.HoldfastException} is the
   *     refusal of only that ticket. But a database that is away, has no room or does not give the
   *     right ends the action, as does any other exception.
   */
  public <T> BulkAction start(
      String id, String action, Iterator<T> items, ToLongFunction<T> idOf, Consumer<T> change) {
    BulkAction bulk = new BulkAction(id, action);
    keep(bulk);
    Thread.ofVirtual().name("bulk-" + action).start(() -> bulk.run(items, idOf, change));
    return bulk;
  }

  public synchronized Optional<BulkAction> find(String id) {
    return Optional.ofNullable(actions.get(id));
  }

  private synchronized void keep(BulkAction bulk) {
    if (closed) {
      stop(bulk);
    }
    actions.put(bulk.id(), bulk);
    Iterator<BulkAction> oldest = actions.values().iterator();
    while (actions.size() > KEPT && oldest.hasNext()) {
      if (oldest.next().isFinished()) {
        oldest.remove();
      }
    }
  }

  /** Ends the running actions after the ticket they are at. */
  @Override
  public synchronized void close() {
    closed = true;
    actions.values().forEach(BulkActions::stop);
  }

  private static void stop(BulkAction bulk) {
    bulk.stop("the process that did it was stopped");
  }
}
