package dev.holdfast.retry;

import java.util.Locale;

/** The end of an attempt that did not succeed. */
public enum AttemptOutcome {
  /** Its handler reported a failure. */
  FAILED,
  /** Its worker died. */
  CRASHED;

  /** {@code failed}, {@code crashed}. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
