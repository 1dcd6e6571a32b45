package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The columns of a failed ticket that a decision needs. JSON columns as text. */
record FailedTicket(
    long id,
    long leaseNo,
    int retryCount,
    @Nullable String retryCounts,
    @Nullable String fingerprint,
    int sameErrorCount,
    int crashCount,
    @Nullable String ticketRetry,
    @Nullable String designRetry,
    @Nullable String queueRetry) {

  TicketLease key() {
    return new TicketLease(id, leaseNo);
  }

  /** Reads a row of lock_failed.sql or lock_expired.sql. */
  static FailedTicket map(ResultSet row) throws SQLException {
    return new FailedTicket(
        row.getLong("id"),
        row.getLong("lease_no"),
        row.getInt("retry_count"),
        row.getString("retry_counts"),
        row.getString("error_fingerprint"),
        row.getInt("same_error_count"),
        row.getInt("crash_count"),
        row.getString("ticket_retry"),
        row.getString("design_retry"),
        row.getString("queue_retry"));
  }

  /** Makes one of which nothing is known; the function store_failures checks that. */
  static FailedTicket unseen(Finish finish) {
    return new FailedTicket(
        finish.ticketId(), finish.leaseNo(), 0, null, null, 0, 0, null, null, null);
  }
}
