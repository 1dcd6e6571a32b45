package dev.holdfast.postgres.session;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.StorableText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/**
 * Reads and writes the table {@code tool_approvals}. The ticket's lease fences the questions, as it
 * does the journal, and they outlive the same outages. Thread-safe.
 */
public final class PostgresApprovalStore implements ApprovalStore {
  private final Transactions transactions;
  private final Persistence persistence;
  private final String ask;
  private final String find;

  public PostgresApprovalStore(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.persistence = new Persistence(dev.holdfast.retry.Sleeper.REAL);
    this.ask = sql.loadPinned("ask_tool_calls");
    this.find =
        sql.inSchema(
            """
            SELECT id, decision, decided_by, words, edited_arguments, approved_hash
            FROM holdfast.tool_approvals
            WHERE ticket_id = :ticket AND answer = :answer AND call_id = :call AND voided_at IS NULL
            """);
  }

  /**
   * @throws IllegalTransitionException once the lease is over
   */
  @Override
  public List<Approval> ask(long ticketId, long leaseNo, List<Asked> calls) {
    TicketLease lease = new TicketLease(ticketId, leaseNo);
    return persistence.insist(() -> transactions.run(handle -> ask(handle, lease, calls)));
  }

  private List<Approval> ask(Handle handle, TicketLease lease, List<Asked> calls) {
    boolean live =
        PinnedPlan.on(handle.createQuery(ask))
            .bind("ticket", lease.ticketId())
            .bind("lease", lease.leaseNo())
            .bind("answers", Columns.integers(calls, Asked::answer))
            .bind("turns", Columns.integers(calls, Asked::turn))
            .bind("callIds", Columns.texts(calls, Asked::callId))
            .bind("tools", Columns.texts(calls, Asked::tool))
            .bind("arguments", Columns.texts(calls, Asked::arguments))
            .bind("effects", Columns.texts(calls, each -> StorableText.of(each.effect())))
            .bind("shapes", Columns.texts(calls, Asked::shape))
            .map((row, context) -> row.getBoolean("live"))
            .one();
    if (!live) {
      throw new IllegalTransitionException(
          "nobody can be asked for ticket %s under lease %s: the ticket is no longer in progress under it"
              .formatted(lease.ticketId(), lease.leaseNo()));
    }
    return known(handle, lease.ticketId(), calls);
  }

  @Override
  public List<Approval> known(long ticketId, List<Asked> calls) {
    return persistence.insist(() -> transactions.run(handle -> known(handle, ticketId, calls)));
  }

  private List<Approval> known(Handle handle, long ticketId, List<Asked> calls) {
    List<Approval> approvals = new ArrayList<>();
    for (Asked call : calls) {
      approvals.add(
          handle
              .createQuery(find)
              .bind("ticket", ticketId)
              .bind("answer", call.answer())
              .bind("call", call.callId())
              .map((row, context) -> approval(row))
              .findOne()
              .orElse(Approval.NOT_ASKED));
    }
    return approvals;
  }

  private static Approval approval(ResultSet row) throws SQLException {
    return new Approval(
        row.getLong("id"),
        Decision.ofNullable(row.getString("decision")),
        row.getString("decided_by"),
        row.getString("words"),
        row.getString("edited_arguments"),
        row.getString("approved_hash"));
  }
}
