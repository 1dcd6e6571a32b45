package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Stores what attempts add: steps of workflows and tickets of jobs. It works in the caller's
 * transaction.
 */
final class WorkflowWriter {
  private final String advance;
  private final String add;

  WorkflowWriter(Sql sql) {
    this.advance = sql.inSchema("SELECT holdfast.advance_workflow(:id, :lease, :json::jsonb)");
    this.add = sql.inSchema("SELECT holdfast.add_tickets_of_job(:id, :lease, :json::jsonb)");
  }

  /**
   * Returns the results by execution; an execution without one is stale.
   *
   * @param batch in the order in which tickets are locked
   */
  Map<TicketLease, FinishResult> write(Handle handle, List<Finish.Advanced> batch) {
    Map<TicketLease, FinishResult> results = new HashMap<>();
    for (Finish.Advanced each : batch) {
      if (call(handle, advance, each, each.plan())) {
        results.put(TicketLease.of(each), new FinishResult.Advanced(each.ticketId()));
      }
    }
    return results;
  }

  /**
   * Adds the tickets before the successes themselves are stored: a job that no longer has its
   * ticket adds nothing, and its success is refused.
   */
  void enqueue(Handle handle, List<Finish.Succeeded> batch) {
    for (Finish.Succeeded each : batch) {
      if (each.enqueues() != null) {
        call(handle, add, each, each.enqueues());
      }
    }
  }

  private static boolean call(Handle handle, String statement, Finish finish, String json) {
    return handle
        .createQuery(statement)
        .bind("id", finish.ticketId())
        .bind("lease", finish.leaseNo())
        .bind("json", EscapedJson.replace(json))
        .mapTo(Boolean.class)
        .one();
  }
}
