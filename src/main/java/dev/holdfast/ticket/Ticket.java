package dev.holdfast.ticket;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a handler is told of a ticket.
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
