package dev.holdfast.queue.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ticket in a list.
 *
 * @param errorTitle the line of its last error that says why
 * @param version what {@code require_version} compares: changes whenever the ticket does
 */
public record TicketLine(
    long id,
    @Nullable String title,
    String queue,
    String kind,
    String state,
    @Nullable String errorCategory,
    @Nullable String errorFingerprint,
    @Nullable String errorTitle,
    @Nullable String design,
    @Nullable Integer designVersion,
    @Nullable String holdReason,
    @Nullable Instant heldAt,
    @Nullable Instant retryAfter,
    Instant createdAt,
    Instant updatedAt,
    int attemptCount,
    @Nullable List<String> allowedActions,
    @Nullable String assignee,
    String version) {}
