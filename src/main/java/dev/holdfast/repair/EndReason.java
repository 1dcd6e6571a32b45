package dev.holdfast.repair;

import java.util.Locale;

/** Why a run ended; all but the first two hold the ticket. */
public enum EndReason {
  /** The verification passes (E14). */
  VERIFICATION_PASSED,
  /** The verification passed before anything was changed. */
  NOTHING_TO_REPAIR,
  /** Two repairs in a row left the same failure (E15). */
  NON_IMPROVING,
  /** Patches failed to apply again and again. */
  REPEATED_FAILURE,
  /** Two outputs of candidates in a row had no valid patch (E33). */
  INVALID_OUTPUT,
  /** Time, money, calls or iterations are used up (E16). */
  BUDGET_EXCEEDED;

  /** The name as in events and hold reasons: {@code non_improving}. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isSuccess() {
    return this == VERIFICATION_PASSED || this == NOTHING_TO_REPAIR;
  }
}
