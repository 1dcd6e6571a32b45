package dev.holdfast.config;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A part of each day in which people are left alone.
 *
 * @param from of the day's clock; later than {@code to} where it goes over midnight
 * @param to the first minute after it
 */
public record QuietHours(LocalTime from, LocalTime to, ZoneId zone) {
  /**
   * Of {@code 22:00-07:00 Europe/Berlin}; null for nothing.
   *
   * @throws ConfigException if a time or the zone is none; says which
   */
  static @Nullable QuietHours parse(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    try {
      String[] parts = text.split("[- ]", 3);
      return new QuietHours(
          LocalTime.parse(parts[0]), LocalTime.parse(parts[1]), ZoneId.of(parts[2]));
    } catch (DateTimeException e) {
      throw new ConfigException(
          "webhooks.quiet-hours: " + e.getMessage() + "; write it as 22:00-07:00 Europe/Berlin", e);
    }
  }

  /** Whether the time is in them. Hours that begin when they end are none. */
  public boolean contains(Instant time) {
    LocalTime clock = time.atZone(zone).toLocalTime();
    return from.isBefore(to)
        ? !clock.isBefore(from) && clock.isBefore(to)
        : !from.equals(to) && (!clock.isBefore(from) || clock.isBefore(to));
  }
}
