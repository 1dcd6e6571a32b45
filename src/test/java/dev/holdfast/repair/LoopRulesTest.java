package dev.holdfast.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.repair.RepairSettings.Escalation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LoopRulesTest {
  private static final Escalation NO_ESCALATION = new Escalation(false, 2, 2, 1);

  private static LoopRules rules(Escalation escalation) {
    return new LoopRules(RepairSettings.Limits.DEFAULTS.maxIterations(), escalation);
  }

  private static LoopState iteration(LoopState state, String signature) {
    return state.begun().verified(signature);
  }

  private static EndReason reason(LoopDecision decision) {
    return ((LoopDecision.Stop) decision).reason();
  }

  @Test
  @DisplayName("E13: five repairs of ever-changing failures, then the iterations are used up")
  void fiveIterations() {
    LoopState state = LoopState.baseline("0");
    for (int i = 1; i <= 5; i++) {
      assertThat(rules(Escalation.DEFAULTS).next(state)).isEqualTo(new LoopDecision.Repair(i));
      state = iteration(state, "changed " + i);
    }
    assertThat(reason(rules(Escalation.DEFAULTS).next(state))).isEqualTo(EndReason.BUDGET_EXCEEDED);
  }

  @Test
  @DisplayName(
      "E15, E19: the baseline counts as no repair: two repairs with its signature, then a stop")
  void nonImproving() {
    LoopState one = iteration(LoopState.baseline("a"), "a");
    assertThat(rules(NO_ESCALATION).next(one)).isEqualTo(new LoopDecision.Repair(2));
    assertThat(reason(rules(NO_ESCALATION).next(iteration(one, "a"))))
        .isEqualTo(EndReason.NON_IMPROVING);
  }

  @Test
  @DisplayName("E20: another signature counts anew, and none never counts")
  void signatures() {
    LoopState state = LoopState.baseline("a");
    assertThat(iteration(state, "b").nonImproving()).isZero();
    LoopState back = iteration(iteration(state, "b"), "a");
    assertThat(back.nonImproving()).isZero();
    assertThat(iteration(back, "a").nonImproving()).isEqualTo(1);
    LoopState none = iteration(iteration(LoopState.baseline(""), ""), "");
    assertThat(none.nonImproving()).isZero();
  }

  @Test
  @DisplayName("E17: two repairs that improve nothing, or two patches in a row that do not apply")
  void triggers() {
    LoopState stuck = iteration(iteration(LoopState.baseline("a"), "a"), "a");
    assertThat(rules(Escalation.DEFAULTS).next(stuck))
        .isEqualTo(new LoopDecision.Escalate("non_improving"));
    LoopState broken = LoopState.baseline("a").begun().notApplied().begun().notApplied();
    assertThat(rules(Escalation.DEFAULTS).next(broken))
        .isEqualTo(new LoopDecision.Escalate("patch_apply_failures"));
    assertThat(rules(Escalation.DEFAULTS).next(LoopState.baseline("a").begun().notApplied()))
        .isEqualTo(new LoopDecision.Repair(2));
  }

  @Test
  @DisplayName(
      "E18, T16: while an escalation is left it comes before the stop, though both want two")
  void escalationWins() {
    LoopState stuck = iteration(iteration(LoopState.baseline("a"), "a"), "a");
    assertThat(rules(Escalation.DEFAULTS).next(stuck)).isInstanceOf(LoopDecision.Escalate.class);
    Escalation later = new Escalation(true, 3, 2, 1);
    assertThat(rules(later).next(stuck)).isEqualTo(new LoopDecision.Repair(3));
    assertThat(rules(later).next(iteration(stuck, "a")))
        .isEqualTo(new LoopDecision.Escalate("non_improving"));
  }

  @Test
  @DisplayName("E21: a patch that applies ends the row of those that do not")
  void applyFailuresInARow() {
    LoopState state =
        LoopState.baseline("a").begun().notApplied().begun().verified("b").begun().notApplied();
    assertThat(state.applyFailures()).isEqualTo(1);
    assertThat(rules(Escalation.DEFAULTS).next(state)).isEqualTo(new LoopDecision.Repair(4));
  }

  @Test
  @DisplayName(
      "E22: an output without a diff is an iteration that improves nothing, no apply failure")
  void withoutDiff() {
    LoopState state = LoopState.baseline("a").begun().withoutDiff();
    assertThat(state.nonImproving()).isEqualTo(1);
    assertThat(state.applyFailures()).isZero();
    assertThat(rules(Escalation.DEFAULTS).next(state)).isEqualTo(new LoopDecision.Repair(2));
    assertThat(rules(Escalation.DEFAULTS).next(state.begun().withoutDiff()))
        .isEqualTo(new LoopDecision.Escalate("non_improving"));
  }

  @Test
  @DisplayName("E24: with no escalation left the same triggers stop")
  void noneLeft() {
    LoopState stuck = iteration(iteration(LoopState.baseline("a"), "a"), "a");
    assertThat(reason(rules(new Escalation(true, 2, 2, 0)).next(stuck)))
        .isEqualTo(EndReason.NON_IMPROVING);
    LoopState again = iteration(iteration(stuck.escalated("b"), "b"), "b");
    assertThat(reason(rules(Escalation.DEFAULTS).next(again))).isEqualTo(EndReason.NON_IMPROVING);
    LoopState broken = stuck.escalated("b").begun().notApplied().begun().notApplied();
    assertThat(reason(rules(Escalation.DEFAULTS).next(broken)))
        .isEqualTo(EndReason.REPEATED_FAILURE);
  }
}
