package dev.holdfast.repair;

/**
 * The counts of the L2 loop. Immutable.
 *
 * @param iterations that a model has answered in
 * @param nonImproving repairs in a row that left the failure as it was (E19, E20, E22)
 * @param applyFailures patches in a row that did not apply (E21)
 * @param escalations to L3 so far
 * @param signature of the last verification; "" where it passed or has none
 */
public record LoopState(
    int iterations, int nonImproving, int applyFailures, int escalations, String signature) {

  /**
   * Returns the state after the first verification. Repairs are measured against it, and it does
   * not count as one (E19).
   */
  public static LoopState baseline(String signature) {
    return new LoopState(0, 0, 0, 0, signature);
  }

  public LoopState begun() {
    return new LoopState(iterations + 1, nonImproving, applyFailures, escalations, signature);
  }

  /** Counts an output without a diff: it improved nothing, but no patch failed to apply (E22). */
  public LoopState withoutDiff() {
    return new LoopState(iterations, nonImproving + 1, applyFailures, escalations, signature);
  }

  /** Counts a patch that applied (E21) and changed nothing (E44), so the failure is the same. */
  public LoopState unchanged() {
    return new LoopState(iterations, nonImproving + 1, 0, escalations, signature);
  }

  public LoopState notApplied() {
    return new LoopState(iterations, nonImproving, applyFailures + 1, escalations, signature);
  }

  /** Counts a patch that applied (E21) and was verified; an absent signature never counts (E20). */
  public LoopState verified(String newSignature) {
    boolean same = !newSignature.isEmpty() && newSignature.equals(signature);
    return new LoopState(iterations, same ? nonImproving + 1 : 0, 0, escalations, newSignature);
  }

  /** Counts an L3 step that begins, however it ends; L2 starts its counts again after it. */
  public LoopState escalated(String newSignature) {
    return new LoopState(iterations, 0, 0, escalations + 1, newSignature);
  }

  /** Returns the state in which L2 goes on from the best candidate of L3. */
  public LoopState goingOn(String newSignature) {
    return new LoopState(iterations, nonImproving, applyFailures, escalations, newSignature);
  }
}
