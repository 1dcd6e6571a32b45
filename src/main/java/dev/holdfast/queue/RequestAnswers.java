package dev.holdfast.queue;

import dev.holdfast.queue.TicketInbox.RequestKey;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answers to requests that count once, kept for 24 hours: a sender that did not hear the answer
 * asks again. Thread-safe.
 */
public interface RequestAnswers {
  /**
   * The kept answer to a request.
   *
   * @param ticketId the ticket that it was done to
   * @param answer the body that was sent; null where the process ended before it had one
   * @param etag the ticket's ETag at that time; null if the answer is
   */
  record Kept(long ticketId, @Nullable String answer, @Nullable String etag) {}

  /**
   * Returns the kept answer; empty where nothing was done under this key.
   *
   * @throws dev.holdfast.ticket.InvalidInputException if the key was used for another request
   */
  Optional<Kept> find(RequestKey key);

  /** Keeps the first answer. */
  void keep(RequestKey key, String answer, String etag);
}
