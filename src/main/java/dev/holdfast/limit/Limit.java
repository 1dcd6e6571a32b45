package dev.holdfast.limit;

import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.limits}: a limit, and what is under it now.
 *
 * @param scope {@code queue:NAME} or {@code design:NAME}
 * @param perMs the time of the rate
 * @param running how many of the tickets that it counts run now; a rate alone counts none
 * @param waiting how many stand in line
 * @param mayStartNow how many the rate lets start now; null without a rate
 */
public record Limit(
    String scope,
    @Nullable Integer concurrent,
    @Nullable Integer perKey,
    @Nullable Integer rate,
    @Nullable Long perMs,
    @Nullable Integer burst,
    long running,
    long waiting,
    @Nullable Long mayStartNow,
    Instant setAt,
    String setBy) {

  /** Says the limit in words: {@code 5 at once; 100 in 1m, burst 20}. */
  public String words() {
    List<String> words = new ArrayList<>();
    if (concurrent != null) {
      words.add(concurrent + " at once");
    }
    if (perKey != null) {
      words.add(perKey + " at once per key");
    }
    if (rate != null && perMs != null) {
      words.add(rate + " in " + DurationText.format(Duration.ofMillis(perMs)) + ", burst " + burst);
    }
    return String.join("; ", words);
  }
}
