package dev.holdfast.queue.read;

import dev.holdfast.ticket.Guidance;

/**
 * What happened to a ticket: of each the newest 1,000, of 4 MiB in all.
 *
 * @param toolCalls that a person had to allow; after them those that wait, however old
 */
public record TicketHistory(
    Newest<AttemptRow> attempts,
    Newest<Guidance> guidance,
    Newest<TimelineEntry> timeline,
    Newest<ToolCallRow> toolCalls) {}
