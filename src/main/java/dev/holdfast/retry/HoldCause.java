package dev.holdfast.retry;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Why a failed ticket waits for a person instead of being retried. */
public enum HoldCause {
  /** The category's retries are used up (A33). */
  MAX_RETRIES,
  /** One error too many times in a row ({@code retry.same-error-limit}). */
  SAME_ERROR,
  /** Its workers died ({@code retry.crash-limit}), or it cannot be read or stored. */
  POISON,
  /** The keys of its providers are refused, or their money is used up. */
  ACCOUNT_UNAVAILABLE,
  /** A budget has no room for its next call. */
  BUDGET_EXCEEDED,
  /** Its handler says that only a person can decide how to go on. */
  HANDLER;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<HoldCause> ofWireName(String name) {
    return Arrays.stream(values()).filter(cause -> cause.wireName().equals(name)).findFirst();
  }
}
