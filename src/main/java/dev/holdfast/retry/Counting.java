package dev.holdfast.retry;

import java.util.Locale;

/** The count that a category's {@code max-retries} is compared with (A23). */
public enum Counting {
  /** One count for the ticket, whatever the categories: the default. */
  SHARED,
  /** A count for each category. */
  PER_CATEGORY;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
