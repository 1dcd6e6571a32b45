package dev.holdfast.web;

import dev.holdfast.batch.BatchDesk;
import dev.holdfast.batch.ReleaseDesk;
import dev.holdfast.limit.LimitDesk;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.DesignStore;
import dev.holdfast.queue.RequestAnswers;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.queue.read.TicketFeeds;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.spending.SpendingDesk;
import dev.holdfast.queue.view.FigureReader;
import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.session.journal.JournalReader;
import java.util.function.Function;

/**
 * The ports that the API and the pages need. Everything throws {@link
 * dev.holdfast.queue.DatabaseUnavailableException} while the database is away. Thread-safe.
 */
public record WebPorts(
    TicketReader tickets,
    TicketDesk desk,
    TicketInbox inbox,
    SpendingDesk spending,
    DesignStore designs,
    ScheduleDesk schedules,
    BatchDesk batches,
    ReleaseDesk releases,
    LimitDesk limits,
    JournalReader journals,
    TicketFeeds feeds,
    FigureReader figures,
    RequestAnswers answers,
    Once once) {

  /** Returns the same ports; actions through them are recorded with this channel. */
  public WebPorts through(Channel channel) {
    return new WebPorts(
        tickets,
        desk.through(channel),
        inbox.through(channel),
        spending.through(channel),
        designs,
        schedules.through(channel),
        batches.through(channel),
        releases.through(channel),
        limits.through(channel),
        journals,
        feeds,
        figures,
        answers,
        (key, deed) -> once.answer(key, ports -> deed.apply(ports.through(channel))));
  }

  /** Does what a request asks for once per {@code Idempotency-Key}. Thread-safe. */
  @FunctionalInterface
  public interface Once {
    /**
     * An answer.
     *
     * @param repeated whether it is the answer to an earlier request
     */
    record Told(String body, boolean repeated) {}

    /**
     * Stores the deed, the key and the answer in one transaction. If the key is there already, it
     * only returns the answer.
     *
     * @param deed gets the ports that take part in the transaction; returns the answer's body
     * @throws dev.holdfast.ticket.InvalidInputException if the key was used for another request
     */
    Told answer(RequestKey key, Function<WebPorts, String> deed);
  }
}
