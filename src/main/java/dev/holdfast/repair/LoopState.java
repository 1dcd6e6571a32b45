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

  /** The first verification is what repairs are measured against, and counts as none (E19). */
  public static LoopState baseline(String signature) {
    return new LoopState(0, 0, 0, 0, signature);
  }

  public LoopState begun() {
    return new LoopState(iterations + 1, nonImproving, applyFailures, escalations, signature);
  }

  /** An output without a diff has improved nothing, and nothing failed to apply (E22). */
  public LoopState withoutDiff() {
    return new LoopState(iterations, nonImproving + 1, applyFailures, escalations, signature);
  }

  /** A patch applied (E21) and changed nothing (E44), so the failure is what it was. */
  public LoopState unchanged() {
    return new LoopState(iterations, nonImproving + 1, 0, escalations, signature);
  }

  public LoopState notApplied() {
    return new LoopState(iterations, nonImproving, applyFailures + 1, escalations, signature);
  }

  /** A patch applied (E21) and was verified; an absent signature never counts (E20). */
  public LoopState verified(String newSignature) {
    boolean same = !newSignature.isEmpty() && newSignature.equals(signature);
    return new LoopState(iterations, same ? nonImproving + 1 : 0, 0, escalations, newSignature);
  }

  /** L3 begins; it counts, however it ends, and L2 counts anew after it. */
  public LoopState escalated(String newSignature) {
    return new LoopState(iterations, 0, 0, escalations + 1, newSignature);
  }

  /** L2 goes on from the best candidate of L3. */
  public LoopState goingOn(String newSignature) {
    return new LoopState(iterations, nonImproving, applyFailures, escalations, newSignature);
  }
}
