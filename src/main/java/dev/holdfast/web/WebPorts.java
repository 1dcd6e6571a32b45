package dev.holdfast.web;

import dev.holdfast.queue.DesignShelf;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketFeed;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.TicketReader;
import dev.holdfast.session.JournalReader;
import java.util.function.Supplier;

/**
 * What the API and the pages read, and what people do through them. Everything throws {@link
 * dev.holdfast.queue.QueueUnavailableException} while the database is away; thread-safe but for the
 * feeds.
 *
 * @param feeds opens a feed of all tickets at the present
 */
public record WebPorts(
    TicketReader tickets,
    TicketDesk desk,
    TicketInbox inbox,
    DesignShelf designs,
    JournalReader journals,
    Supplier<TicketFeed> feeds) {}
