package dev.holdfast.ticket;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A ticket as a handler sees it.
 *
 * @param kind which handler works it
 * @param payload the task, as JSON text
 * @param priority higher is sooner
 */
public record Ticket(
    long id,
    String queue,
    String kind,
    @Nullable String title,
    String payload,
    int priority,
    Instant createdAt) {}
