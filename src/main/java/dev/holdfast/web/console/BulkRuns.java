package dev.holdfast.web.console;

import dev.holdfast.web.BulkAction;
import dev.holdfast.web.BulkActions;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * The actions on many tickets that this process was told to do on these pages, as long as they are
 * known at all. Thread-safe.
 */
final class BulkRuns {
  private final BulkActions actions;
  private final Map<String, BulkRun> runs = new HashMap<>();

  BulkRuns(BulkActions actions) {
    this.actions = actions;
  }

  /**
   * Begins an action in the background.
   *
   * @param items the tickets, as {@link BulkActions#start} takes them
   */
  <T> BulkRun start(
      BulkRun.Order order, Iterator<T> items, ToLongFunction<T> idOf, Consumer<T> change) {
    String done = order.verb().past().toLowerCase(Locale.ROOT);
    BulkAction action = actions.start(order.id(), done, items, idOf, change);
    BulkRun run = new BulkRun(action, order);
    keep(run);
    return run;
  }

  private synchronized void keep(BulkRun run) {
    runs.keySet().removeIf(id -> actions.find(id).isEmpty());
    runs.put(run.id(), run);
  }

  synchronized Optional<BulkRun> find(String id) {
    return Optional.ofNullable(runs.get(id));
  }
}
