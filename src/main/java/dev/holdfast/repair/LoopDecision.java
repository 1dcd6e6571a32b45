package dev.holdfast.repair;

/** The next step of the L2 loop. */
public sealed interface LoopDecision {
  /**
   * @param iteration from 1
   */
  record Repair(int iteration) implements LoopDecision {}

  /**
   * @param reason {@code non_improving} or {@code patch_apply_failures}
   */
  record Escalate(String reason) implements LoopDecision {}

  /**
   * @param detail which of the reason's bounds was met, for people
   */
  record Stop(EndReason reason, String detail) implements LoopDecision {}
}
