package dev.holdfast.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A row of lock_failed.sql or lock_expired.sql: what a decision on a failed ticket needs. JSON
 * columns as text.
 */
record LockedTicket(
    long id,
    long leaseNo,
    String workerId,
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

  static LockedTicket map(ResultSet row) throws SQLException {
    return new LockedTicket(
        row.getLong("id"),
        row.getLong("lease_no"),
        row.getString("worker_id"),
        row.getInt("retry_count"),
        row.getString("retry_counts"),
        row.getString("error_fingerprint"),
        row.getInt("same_error_count"),
        row.getInt("crash_count"),
        row.getString("ticket_retry"),
        row.getString("design_retry"),
        row.getString("queue_retry"));
  }
}
