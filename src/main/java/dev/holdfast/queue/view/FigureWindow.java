package dev.holdfast.queue.view;

import java.time.Duration;
import java.util.Optional;

/** The time that figures look back, and the spans it is divided into. */
public enum FigureWindow {
  HOUR("1h", "hour", 1, 60),
  DAY("24h", "24 hours", 15, 96),
  WEEK("7d", "7 days", 120, 84);

  private final String wireName;
  private final String words;
  private final int spanMinutes;
  private final int spans;

  FigureWindow(String wireName, String words, int spanMinutes, int spans) {
    this.wireName = wireName;
    this.words = words;
    this.spanMinutes = spanMinutes;
    this.spans = spans;
  }

  /** {@code 1h}, {@code 24h}, {@code 7d}. */
  public String wireName() {
    return wireName;
  }

  /** As in "the last …". */
  public String words() {
    return words;
  }

  /** Returns the length of each span that is counted by itself, in minutes. */
  public int spanMinutes() {
    return spanMinutes;
  }

  public Duration span() {
    return Duration.ofMinutes(spanMinutes);
  }

  /** Returns the number of spans; the last one has not ended. */
  public int spans() {
    return spans;
  }

  public static Optional<FigureWindow> of(String wireName) {
    for (FigureWindow each : values()) {
      if (each.wireName.equals(wireName)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }
}
