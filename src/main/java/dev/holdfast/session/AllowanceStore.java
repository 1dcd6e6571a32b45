package dev.holdfast.session;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads a ticket's own bounds. */
@FunctionalInterface
public interface AllowanceStore {
  /**
   * @param maxCostUsd of the ticket over all attempts; null where it says nothing
   * @param worked how long its finished attempts took together
   */
  record Own(@Nullable BigDecimal maxCostUsd, Duration worked) {
    public static final Own NONE = new Own(null, Duration.ZERO);
  }

  Own of(long ticketId);
}
