package dev.holdfast.bench;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

/** How long the parts of a whole that are left may take, if they take as long as those before. */
final class TimeLeft {
  private final InstantSource clock;
  private Instant start;

  TimeLeft(InstantSource clock) {
    this.clock = clock;
    this.start = clock.instant();
  }

  /** Another whole begins. */
  void begin() {
    start = clock.instant();
  }

  /**
   * @return with a comma before it; empty where nothing is done yet, or all is
   */
  String after(int done, int of) {
    if (done <= 0 || done >= of) {
      return "";
    }
    long seconds =
        Math.round(
            Duration.between(start, clock.instant()).toMillis() / 1000.0 / done * (of - done));
    return ", about "
        + (seconds < 60
            ? seconds + " s"
            : String.format(Locale.ROOT, "%d min %d s", seconds / 60, seconds % 60))
        + " left";
  }
}
