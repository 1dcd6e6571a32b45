package dev.holdfast.web.console;

import dev.holdfast.queue.TicketDesk;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The actions on many tickets that this process was told to do, the newest {@value #KEPT} of them.
 * Thread-safe.
 */
final class BulkRuns {
  private static final int KEPT = 50;

  private final TicketDesk desk;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, BulkRun> runs = new LinkedHashMap<>();

  BulkRuns(TicketDesk desk) {
    this.desk = desk;
  }

  /** The desk for a ticket as it was seen. */
  TicketDesk desk(BulkRun.Item item) {
    return item.version() == null ? desk : desk.onVersion(item.version());
  }

  /** Begins it in the background. */
  BulkRun start(
      BulkRun.Verb verb,
      long total,
      String back,
      Iterator<BulkRun.Item> items,
      BulkRun.Action action) {
    byte[] id = new byte[8];
    random.nextBytes(id);
    BulkRun run = new BulkRun(HexFormat.of().formatHex(id), verb, total, back);
    keep(run);
    Thread.ofVirtual().name("bulk-" + run.id()).start(() -> run.run(items, action));
    return run;
  }

  private synchronized void keep(BulkRun run) {
    runs.put(run.id(), run);
    Iterator<BulkRun> oldest = runs.values().iterator();
    while (runs.size() > KEPT && oldest.hasNext()) {
      if (oldest.next().isOver()) {
        oldest.remove();
      }
    }
  }

  synchronized Optional<BulkRun> find(String id) {
    return Optional.ofNullable(runs.get(id));
  }
}
