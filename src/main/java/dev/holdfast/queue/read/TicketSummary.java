package dev.holdfast.queue.read;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.tickets} without {@code payload}, {@code result} and {@code
 * retry_strategy}, which may be large.
 *
 * @param title its first 1000 characters
 * @param error its first 500 characters
 * @param errorTitle the line of the error that says why
 * @param holdReason its first 1000 characters
 * @param assignee the person who looks after it
 */
public record TicketSummary(
    long id,
    String queue,
    String kind,
    @Nullable Long designId,
    @Nullable String title,
    String state,
    @Nullable String assigneeType,
    int priority,
    @Nullable Integer retryCount,
    int rejectionCount,
    @Nullable Instant retryAfter,
    @Nullable String error,
    @Nullable String errorCategory,
    @Nullable String errorFingerprint,
    @Nullable String holdReason,
    @Nullable String workerId,
    long leaseNo,
    @Nullable Instant leaseExpiresAt,
    @Nullable String uniqueKey,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    int attemptCount,
    int crashCount,
    int sameErrorCount,
    @Nullable Instant heldAt,
    @Nullable List<String> allowedActions,
    @Nullable BigDecimal maxCostUsd,
    @Nullable String errorTitle,
    @Nullable String design,
    @Nullable Integer designVersion,
    @Nullable String concurrencyKey,
    @Nullable String fairnessKey,
    @Nullable Long batchId,
    @Nullable String assignee) {

  /** Changes whenever the ticket does, as {@code holdfast.ticket_version} in SQL: its ETag. */
  public String version() {
    return TicketRow.version(leaseNo, updatedAt);
  }
}
