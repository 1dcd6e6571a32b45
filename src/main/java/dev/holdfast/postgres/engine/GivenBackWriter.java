package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.FinishResult;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Stores attempts that ended through no fault of their tickets: the tickets are ready again at
 * once.
 */
final class GivenBackWriter {
  /** The outcome if its worker was stopped, or never learned of it. */
  static final String GIVEN_BACK = "given_back";

  /** The outcome if its worker died of another ticket. */
  static final String CRASHED = "crashed";

  /**
   * An attempt that is over.
   *
   * @param outcome one of the constants
   */
  record Ended(TicketLease key, String outcome) {}

  private final String finishGivenBack;
  private final String wakeWorkers;

  GivenBackWriter(Sql sql) {
    this.finishGivenBack = sql.loadPinned("finish_given_back");
    this.wakeWorkers = sql.inSchema("SELECT holdfast.wake_workers(:queues::text[])");
  }

  /**
   * Returns the results by execution; an execution without one is stale.
   *
   * @param batch in the order in which tickets are locked
   */
  Map<TicketLease, FinishResult> write(Handle handle, List<Ended> batch) {
    Map<TicketLease, FinishResult> results = new HashMap<>();
    if (batch.isEmpty()) {
      return results;
    }
    Set<String> queues = new HashSet<>();
    PinnedPlan.on(handle.createQuery(finishGivenBack))
        .bind("ids", Columns.longs(batch, each -> each.key().ticketId()))
        .bind("leases", Columns.longs(batch, each -> each.key().leaseNo()))
        .bind("outcomes", Columns.texts(batch, Ended::outcome))
        .map(
            (row, context) -> {
              queues.add(row.getString("queue"));
              return new TicketLease(row.getLong("id"), row.getLong("lease_no"));
            })
        .forEach(each -> results.put(each, new FinishResult.GivenBack(each.ticketId())));
    if (!queues.isEmpty()) {
      handle
          .createQuery(wakeWorkers)
          .bind("queues", queues.toArray(String[]::new))
          .mapTo(String.class)
          .list();
    }
    return results;
  }
}
