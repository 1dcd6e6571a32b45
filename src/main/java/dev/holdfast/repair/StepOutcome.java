package dev.holdfast.repair;

/** The end of an L3 step. */
sealed interface StepOutcome {
  /** The candidate that goes on, whether it passes or not. */
  record Chosen(Candidate candidate) implements StepOutcome {}

  /**
   * @param reason invalid_output or repeated_failure
   */
  record Failed(EndReason reason, String detail) implements StepOutcome {}
}
