package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Finds finishes that were stored already: the answer to an earlier try was lost with its
 * connection. Without it the worker would take its own stored result for a stale one, and nobody
 * would ever be told of the retry or the hold.
 */
final class AppliedFinishes {
  private final String appliedBefore;

  AppliedFinishes(Sql sql) {
    this.appliedBefore = sql.loadPinned("applied_before");
  }

  private record Applied(
      TicketLease key, String outcome, Instant finishedAt, @Nullable String decision) {
    static Applied map(ResultSet row) throws SQLException {
      return new Applied(
          new TicketLease(row.getLong("ticket_id"), row.getLong("lease_no")),
          row.getString("outcome"),
          ClaimedTicketMapper.instant(row, "finished_at"),
          row.getString("decision"));
    }
  }

  /**
   * Returns the answers that the finishes got when they were stored; finishes that never were have
   * none.
   */
  Map<TicketLease, FinishResult> find(Handle handle, List<Finish> finishes) {
    Map<TicketLease, Applied> applied = new HashMap<>();
    for (Applied each : handle.inTransaction(inside -> appliedBefore(inside, finishes))) {
      applied.put(each.key(), each);
    }
    Map<TicketLease, FinishResult> results = new HashMap<>();
    for (Finish finish : finishes) {
      Applied before = applied.get(TicketLease.of(finish));
      if (before != null) {
        answer(finish, before).ifPresent(result -> results.put(before.key(), result));
      }
    }
    return results;
  }

  /** Reads them in a transaction, for {@link PinnedPlan}. */
  private List<Applied> appliedBefore(Handle handle, List<Finish> finishes) {
    return PinnedPlan.on(handle.createQuery(appliedBefore))
        .bind("ids", Columns.longs(finishes, Finish::ticketId))
        .bind("leases", Columns.longs(finishes, Finish::leaseNo))
        .map((row, context) -> Applied.map(row))
        .list();
  }

  private static Optional<FinishResult> answer(Finish finish, Applied before) {
    return switch (finish) {
      case Finish.Succeeded each when before.outcome().equals("succeeded") ->
          Optional.of(new FinishResult.Succeeded(each.ticketId(), FinishWriter.state(each)));
      case Finish.GivenBack each when before.outcome().equals("given_back") ->
          Optional.of(new FinishResult.GivenBack(each.ticketId()));
      case Finish.Parked each when before.outcome().equals("parked") ->
          Optional.of(new FinishResult.Parked(each.ticketId(), each.reason()));
      case Finish.Advanced each when before.outcome().equals("advanced") ->
          Optional.of(new FinishResult.Advanced(each.ticketId()));
      case Finish.Deferred each when before.outcome().equals("deferred") ->
          Optional.of(
              new FinishResult.Deferred(
                  each.ticketId(), before.finishedAt().plus(each.delay()), each.waitsFor()));
      case Finish.Failed each when before.decision() != null ->
          Optional.of(DecisionLog.read(each, before.decision(), before.finishedAt()));
      case Finish.Succeeded each -> Optional.empty();
      case Finish.GivenBack each -> Optional.empty();
      case Finish.Parked each -> Optional.empty();
      case Finish.Advanced each -> Optional.empty();
      case Finish.Deferred each -> Optional.empty();
      case Finish.Failed each -> Optional.empty();
    };
  }
}
