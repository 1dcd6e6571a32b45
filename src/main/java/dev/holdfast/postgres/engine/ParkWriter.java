package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.ticket.StorableText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Stores attempts that wait for a person's word, inside the caller's transaction. */
final class ParkWriter {
  private final String finishParked;

  ParkWriter(Sql sql) {
    this.finishParked = sql.loadPinned("finish_parked");
  }

  /**
   * Returns the results by execution; an execution without one is stale.
   *
   * @param batch in the order in which tickets are locked
   */
  Map<TicketLease, FinishResult> write(Handle handle, List<Finish.Parked> batch) {
    Map<TicketLease, FinishResult> results = new HashMap<>();
    if (batch.isEmpty()) {
      return results;
    }
    Map<Long, String> reasons = new HashMap<>();
    batch.forEach(each -> reasons.put(each.ticketId(), each.reason()));
    PinnedPlan.on(handle.createQuery(finishParked))
        .bind("ids", Columns.longs(batch, Finish::ticketId))
        .bind("leases", Columns.longs(batch, Finish::leaseNo))
        .bind("reasons", Columns.texts(batch, each -> StorableText.of(each.reason())))
        .bind("actions", Columns.texts(batch, each -> String.join(",", each.actions())))
        .bind("details", Columns.texts(batch, each -> EscapedJson.replace(each.details())))
        .map((row, context) -> new TicketLease(row.getLong("id"), row.getLong("lease_no")))
        .forEach(
            key ->
                results.put(
                    key,
                    new FinishResult.Parked(
                        key.ticketId(), reasons.getOrDefault(key.ticketId(), ""))));
    return results;
  }
}
