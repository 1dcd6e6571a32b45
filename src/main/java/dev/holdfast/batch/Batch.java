package dev.holdfast.batch;

import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that came together, and how many of them are done.
 *
 * @param closedAt the time since which it takes no further tickets; null while it does
 * @param cancelledAt when a person cancelled it as a whole
 * @param endedAt when all tickets were done or cancelled
 * @param total how many tickets it has or had
 * @param ready how many wait for a worker, for a retry or for other tickets
 * @param deleted ended tickets that an earlier version deleted without counting them
 * @param countedAt when this was counted; counts are kept for a moment
 * @param timeLeftMs the time until no ticket waits for a worker, estimated from the rate of the
 *     last minutes
 * @param nextCountAt the time from which a reader gets newer counts
 */
public record Batch(
    long id,
    @Nullable String title,
    Instant createdAt,
    String createdBy,
    @Nullable Instant closedAt,
    @Nullable Instant cancelledAt,
    @Nullable Instant endedAt,
    long total,
    long ready,
    long inProgress,
    long onHold,
    long needsReview,
    long done,
    long cancelled,
    long deleted,
    Instant countedAt,
    @Nullable Long timeLeftMs,
    Instant nextCountAt) {

  /** Returns the number of tickets that wait for nobody but a reviewer. */
  public long worked() {
    return done + cancelled + deleted + needsReview;
  }

  /** Says how far it is, as in {@code 4,120 of 10,000, 31 on hold, done in about 6 min}. */
  public String progress() {
    StringBuilder words =
        new StringBuilder(String.format(Locale.ROOT, "%,d of %,d", worked(), total));
    add(words, onHold, "on hold");
    add(words, needsReview, "in review");
    add(words, cancelled, "cancelled");
    if (endedAt != null) {
      return words.append(", ended").toString();
    }
    if (closedAt == null) {
      words.append(", takes further tickets");
    }
    if (timeLeftMs != null) {
      words.append(", done in about ").append(about(timeLeftMs));
    }
    return words.toString();
  }

  private static void add(StringBuilder words, long count, String what) {
    if (count > 0) {
      words.append(String.format(Locale.ROOT, ", %,d %s", count, what));
    }
  }

  private static String about(long millis) {
    Duration time = Duration.ofMillis(millis);
    if (time.toMinutes() < 2) {
      return DurationText.format(Duration.ofSeconds(Math.max(1, Math.ceilDiv(millis, 1000))));
    }
    return time.toHours() < 3 ? Math.ceilDiv(millis, 60_000) + " min" : time.toHours() + " h";
  }
}
