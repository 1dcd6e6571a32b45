package dev.holdfast.retry;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The growth of the delay from one retry to the next (A15, A19). */
public enum BackoffType {
  /** No delay: the ticket is eligible at once. */
  NONE,
  /** base * n. */
  LINEAR,
  /** base * 2^(n-1). */
  EXPONENTIAL;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<BackoffType> ofWireName(String name) {
    return Arrays.stream(values()).filter(type -> type.wireName().equals(name)).findFirst();
  }
}
