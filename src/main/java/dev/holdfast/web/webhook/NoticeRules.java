package dev.holdfast.web.webhook;

import dev.holdfast.secret.Secrets;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What people are told, and when; the same for each receiver.
 *
 * @param giveUpAfter how long one event is tried before the next one is
 * @param consoleAddress where people reach the console, for links; null gives none
 * @param hidden what no event may contain
 * @param groupWait how long a hold waits for others with the same error; with zero each is told by
 *     itself
 * @param quiet the times at which nothing is sent
 * @param events the events that people are told of
 * @param digest when the digest of a day is made; null where there is none
 */
public record NoticeRules(
    Duration giveUpAfter,
    @Nullable URI consoleAddress,
    Secrets hidden,
    Duration groupWait,
    Predicate<Instant> quiet,
    Set<Event> events,
    @Nullable DigestTime digest) {
  /** The events that people may be told of. */
  public enum Event {
    HOLDS,
    OUTAGES,
    BUDGETS,
    REVIEWS,
    DIGEST
  }

  /** A time of each day. */
  public record DigestTime(LocalTime time, ZoneId zone) {}

  public NoticeRules {
    events = Set.copyOf(events);
  }
}
