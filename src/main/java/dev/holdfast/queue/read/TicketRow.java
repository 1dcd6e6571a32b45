package dev.holdfast.queue.read;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row of {@code holdfast.tickets}, column by column; json columns as JSON text. */
public record TicketRow(
    long id,
    String queue,
    String kind,
    @Nullable Long designId,
    @Nullable String title,
    String payload,
    String state,
    @Nullable String assigneeType,
    int priority,
    @Nullable Integer retryCount,
    int rejectionCount,
    @Nullable Instant retryAfter,
    @Nullable String retryStrategy,
    @Nullable String error,
    @Nullable String errorCategory,
    @Nullable String errorFingerprint,
    @Nullable String holdReason,
    @Nullable String workerId,
    long leaseNo,
    @Nullable Instant leaseExpiresAt,
    @Nullable String uniqueKey,
    @Nullable String result,
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
    @Nullable Long parentId,
    @Nullable Long batchId,
    @Nullable Instant expiresAt) {

  /** Changes whenever the ticket does, as {@code holdfast.ticket_version} in SQL: its ETag. */
  public String version() {
    return version(leaseNo, updatedAt);
  }

  static String version(long leaseNo, Instant updatedAt) {
    // This wraps around at infinity, which older versions took: one such ticket must not end a
    // list.
    long micros = updatedAt.getEpochSecond() * 1_000_000L + updatedAt.getNano() / 1_000L;
    return leaseNo + "-" + micros;
  }
}
