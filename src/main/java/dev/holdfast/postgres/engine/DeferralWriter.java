package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.ticket.StorableText;
import dev.holdfast.ticket.TicketWait;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Stores deferrals inside the caller's transaction. */
final class DeferralWriter {
  private static final String SEPARATOR = "\u001f";

  private final String finishDeferred;

  DeferralWriter(Sql sql) {
    this.finishDeferred = sql.loadPinned("finish_deferred");
  }

  /**
   * Returns the results by execution; an execution without one is stale.
   *
   * @param batch in the order in which tickets are locked
   */
  Map<TicketLease, FinishResult> write(Handle handle, List<Finish.Deferred> batch) {
    Map<TicketLease, TicketWait> waits = new HashMap<>();
    batch.forEach(each -> waits.put(TicketLease.of(each), each.waitsFor()));
    Map<TicketLease, FinishResult> results = new HashMap<>();
    PinnedPlan.on(handle.createQuery(finishDeferred))
        .bind("ids", Columns.longs(batch, Finish::ticketId))
        .bind("leases", Columns.longs(batch, Finish::leaseNo))
        .bind("delays", Columns.longs(batch, each -> Math.max(0, each.delay().toMillis())))
        .bind(
            "scopes",
            Columns.texts(batch, each -> String.join(SEPARATOR, each.waitsFor().scopes())))
        .bind("words", Columns.texts(batch, each -> StorableText.of(each.waitsFor().words())))
        .map(
            (row, context) ->
                Map.entry(
                    new TicketLease(row.getLong("id"), row.getLong("lease_no")),
                    ClaimedTicketMapper.instant(row, "retry_after")))
        .forEach(
            each -> {
              TicketWait wait = waits.get(each.getKey());
              if (wait != null) {
                results.put(
                    each.getKey(),
                    new FinishResult.Deferred(each.getKey().ticketId(), each.getValue(), wait));
              }
            });
    return results;
  }
}
