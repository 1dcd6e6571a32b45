package dev.holdfast.queue.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.ticket_timeline}, or an event of an agent's session.
 *
 * @param event created, claimed, succeeded, failed, crashed, given_back, revoked, or an action of
 *     {@code ticket_activity}; or the type of a session's event, such as auto_retry_start
 * @param actor a person, a worker's id or {@code system}; null for events of sessions
 * @param details a JSON object as text; null for none
 */
public record TimelineEntry(
    long ticketId, Instant at, String event, @Nullable String actor, @Nullable String details) {}
