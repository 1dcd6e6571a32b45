package dev.holdfast.queue.read;

import dev.holdfast.ticket.Guidance;

/**
 * The history of a ticket: the newest 1,000 of each sort, 4 MiB in all.
 *
 * @param toolCalls the calls that a person had to allow; after them the ones that wait, however old
 */
public record TicketHistory(
    Newest<AttemptRow> attempts,
    Newest<Guidance> guidance,
    Newest<TimelineEntry> timeline,
    Newest<ToolCallRow> toolCalls) {}
