package dev.holdfast.repair;

/** Decides after each iteration whether to repair, escalate or stop. Pure. */
public record LoopRules(int maxIterations, RepairSettings.Escalation escalation) {
  /** The number of repairs in a row that may leave the same failure (E15). */
  static final int NON_IMPROVING_LIMIT = 2;

  /**
   * Decides for a run whose verification fails. While an escalation is left, it comes before a
   * stop, even where its own threshold is higher (E18, T16). Afterwards the same triggers stop the
   * run (E24).
   */
  public LoopDecision next(LoopState state) {
    boolean repeated = state.applyFailures() >= escalation.toL3AfterPatchApplyFailures();
    boolean stuck = state.nonImproving() >= NON_IMPROVING_LIMIT;
    if (escalation.enabled() && state.escalations() < escalation.maxEscalations()) {
      if (state.nonImproving() >= escalation.toL3AfterNonImprovingIterations()) {
        return new LoopDecision.Escalate("non_improving");
      }
      if (repeated) {
        return new LoopDecision.Escalate("patch_apply_failures");
      }
    } else if (stuck) {
      return nonImproving(state);
    } else if (repeated) {
      return new LoopDecision.Stop(
          EndReason.REPEATED_FAILURE, state.applyFailures() + " patches in a row did not apply");
    }
    if (state.iterations() < maxIterations) {
      return new LoopDecision.Repair(state.iterations() + 1);
    }
    return stuck
        ? nonImproving(state)
        : new LoopDecision.Stop(
            EndReason.BUDGET_EXCEEDED, "all " + maxIterations + " iterations are used up");
  }

  private static LoopDecision nonImproving(LoopState state) {
    return new LoopDecision.Stop(
        EndReason.NON_IMPROVING, state.nonImproving() + " repairs in a row left the same failure");
  }
}
