package dev.holdfast.web.console;

import dev.holdfast.web.BulkAction;
import dev.holdfast.web.BulkActions;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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
   * Begins it in the background.
   *
   * @param total how many there are, as far as is known
   * @param back the page it was ordered from
   */
  BulkRun start(
      BulkRun.Verb verb,
      long total,
      String back,
      Iterator<BulkRun.Item> items,
      Consumer<BulkRun.Item> change) {
    String done = verb.past().toLowerCase(Locale.ROOT);
    BulkAction action = actions.start(done, items, BulkRun.Item::id, change);
    BulkRun run = new BulkRun(action, verb, total, back);
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
