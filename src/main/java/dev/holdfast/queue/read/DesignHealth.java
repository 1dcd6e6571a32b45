package dev.holdfast.queue.read;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.design_health}: a design, and what became of its tickets.
 *
 * @param version the latest
 * @param versions how many there are
 * @param tickets how many of the newest tickets have the design, in any version
 * @param succeeded how many of those are done or wait for their review
 * @param held how many of those wait for a person, or were cancelled
 * @param costUsd what models have cost in the last 7 days; null where nothing had a price
 */
public record DesignHealth(
    String name,
    String kind,
    int version,
    long versions,
    long tickets,
    long succeeded,
    long held,
    @Nullable BigDecimal costUsd) {
  /**
   * Returns the per cent of successes among those that have ended or wait for a person; "" where
   * there is none.
   */
  public String successRate() {
    long ended = succeeded + held;
    return ended == 0 ? "" : Math.round(100.0 * succeeded / ended) + " %";
  }
}
