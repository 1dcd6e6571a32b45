package dev.holdfast.queue.read;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time that a ticket waits for now, and why.
 *
 * @param until by the database's clock
 * @param left until then, never negative
 * @param reason what is retried: the title of the ticket's error, or the error of its session; or
 *     what it waits for and why
 * @param attempt which retry comes, from 1; null while it waits for a provider
 * @param maxAttempts how many retries there are in all; null where it is not known
 */
public record CurrentWait(
    Kind kind,
    Instant until,
    Duration left,
    String reason,
    @Nullable Integer attempt,
    @Nullable Integer maxAttempts) {
  /** The kinds of waits. */
  public enum Kind {
    /** The session of a running ticket, before it runs a turn again. */
    SESSION_RETRY,
    /** A ticket that failed, for its next attempt. */
    TICKET_RETRY,
    /** A ticket whose provider must not be called before a time. */
    PROVIDER
  }
}
