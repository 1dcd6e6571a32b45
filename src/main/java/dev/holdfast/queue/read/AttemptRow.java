package dev.holdfast.queue.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of {@code holdfast.ticket_attempts}: one finished execution. */
public record AttemptRow(
    long ticketId,
    long leaseNo,
    int attempt,
    String workerId,
    Instant startedAt,
    Instant finishedAt,
    String outcome,
    @Nullable String category,
    @Nullable String rule,
    @Nullable String fingerprint,
    @Nullable Integer httpStatus,
    @Nullable String error,
    @Nullable String errorTitle,
    @Nullable String result) {}
