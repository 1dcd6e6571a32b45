package dev.holdfast.web;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts what each of many may do so often a minute. Thread-safe; forgets who was long gone. */
final class RequestRates {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MOST_KEPT = 10_000;

  private final int perMinute;
  private final InstantSource clock;
  private final Map<String, Window> windows =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Window> eldest) {
          return size() > MOST_KEPT;
        }
      };

  private static final class Window {
    private final Instant start;
    private int count;

    private Window(Instant start) {
      this.start = start;
    }

    /** Not once the clock was set back, or the bound would hold for as long as the jump was. */
    private boolean covers(Instant now) {
      return !now.isBefore(start) && !now.isAfter(start.plus(MINUTE));
    }
  }

  /**
   * @param perMinute 0 is no bound
   */
  RequestRates(int perMinute, InstantSource clock) {
    this.perMinute = perMinute;
    this.clock = clock;
  }

  /** Counts one more. False if that is too many. */
  synchronized boolean take(String who) {
    return perMinute == 0 || ++window(who).count <= perMinute;
  }

  private Window window(String who) {
    Instant now = clock.instant();
    Window window = windows.get(who);
    if (window == null || !window.covers(now)) {
      window = new Window(now);
      windows.remove(who);
      windows.put(who, window);
    }
    return window;
  }
}
