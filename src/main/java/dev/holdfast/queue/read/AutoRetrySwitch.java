package dev.holdfast.queue.read;

import java.time.Instant;

/**
 * A person's switch for the retries of a ticket's sessions; it has precedence over the ticket's
 * design.
 *
 * @param changedAt by the database's clock
 */
public record AutoRetrySwitch(boolean enabled, String changedBy, Instant changedAt) {}
