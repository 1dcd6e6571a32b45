package dev.holdfast.schedule;

import dev.holdfast.ticket.InvalidInputException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it stands: a row of the table {@code schedules}, whose comments say what is in it.
 *
 * @param everyMs the interval in milliseconds; null for a cron expression
 * @param payload JSON text
 * @param nextAt null until a worker has worked it out
 * @param lastTicket may be pruned already
 */
public record Schedule(
    String name,
    @Nullable String cron,
    @Nullable Long everyMs,
    String zone,
    @Nullable String design,
    @Nullable String kind,
    @Nullable String title,
    String payload,
    String queue,
    int priority,
    CatchUp catchUp,
    Overlap overlap,
    Instant anchorAt,
    @Nullable Instant nextAt,
    @Nullable Instant lastAt,
    @Nullable Long lastTicket,
    long skipped,
    @Nullable String problem,
    @Nullable Instant pausedAt,
    @Nullable String pausedBy,
    Instant updatedAt,
    String updatedBy) {

  /**
   * @throws InvalidInputException if it cannot be read, which only SQL can have caused
   */
  public Timetable timetable() {
    return Timetable.of(cron, everyMs == null ? null : Duration.ofMillis(everyMs), zone, anchorAt);
  }

  /** Says the rhythm in words: the cron expression with its zone, or the interval. */
  public String rhythm() {
    return cron == null
        ? "every "
            + Duration.ofMillis(everyMs == null ? 0 : everyMs)
                .toString()
                .substring(2)
                .toLowerCase(java.util.Locale.ROOT)
        : cron + " " + zone;
  }

  /** Returns the next times, from now or from the one that is due; none while it cannot be read. */
  public List<Instant> upcoming(Instant now, int count) {
    if (problem != null) {
      return List.of();
    }
    try {
      return timetable().upcoming(now, count);
    } catch (InvalidInputException e) {
      return List.of();
    }
  }
}
