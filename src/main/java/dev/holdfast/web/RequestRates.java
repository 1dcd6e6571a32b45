package dev.holdfast.web;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts how often a minute each of many does something. Thread-safe; forgets those who have been
 * away for long.
 */
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

    /**
     * Returns false after the clock was set back. Otherwise the bound would last as long as the
     * jump.
     */
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

  /** Counts one more; returns false if that is too many. */
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
