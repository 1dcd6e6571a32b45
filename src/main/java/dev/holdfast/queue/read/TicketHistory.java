package dev.holdfast.queue.read;

import dev.holdfast.ticket.Guidance;

/** What happened to a ticket: of each the newest 1,000, of 4 MiB in all. */
public record TicketHistory(
    Newest<AttemptRow> attempts, Newest<Guidance> guidance, Newest<TimelineEntry> timeline) {}
