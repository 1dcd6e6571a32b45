package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunEvent;
import dev.holdfast.repair.trace.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run from the first verification to its stop: L2 repairs one after the other, and L3 steps
 * where they do not help (E13-E25). All decisions follow from the values of journalled steps, so
 * that a later attempt repeats the way to the place where this one was cut off. Used by one thread,
 * once.
 */
final class RepairLoop {
  private final CandidateStep.Parts parts;
  private final RepairSettings settings;
  private final RepairTask task;
  private final RunBudget budget;
  private final LoopRules rules;
  private final List<String> signals = new ArrayList<>();
  private Tree tree;
  private Verified verified;
  private LoopState state = LoopState.baseline("");
  private Tree bestTried;
  private Verified bestVerified;
  private String notTried = "";

  /** The end of the loop, with the best candidate there is. */
  record Stop(
      EndReason reason,
      String detail,
      Tree tree,
      Verified verified,
      LoopState state,
      List<String> signals) {}

  RepairLoop(
      CandidateStep.Parts parts,
      RepairSettings settings,
      RepairTask task,
      RunBudget budget,
      Tree start) {
    this.parts = parts;
    this.settings = settings;
    this.task = task;
    this.budget = budget;
    this.rules = new LoopRules(settings.limits().maxIterations(), settings.escalation());
    this.tree = start;
    this.verified = new Verified(false, "", List.of(), Long.MAX_VALUE, "", false);
    this.bestTried = start;
    this.bestVerified = verified;
  }

  Stop run() throws IOException, InterruptedException {
    try {
      verified = verifyFirst();
      bestVerified = verified;
      state = LoopState.baseline(verified.signature());
      if (verified.passed() && !task.rejected()) {
        return tree.diff().isEmpty()
            ? stop(EndReason.NOTHING_TO_REPAIR, "the verification passes already")
            : stop(EndReason.VERIFICATION_PASSED, "the patch so far passes");
      }
      return loop();
    } catch (BudgetExceededException e) {
      return stop(EndReason.BUDGET_EXCEEDED, String.valueOf(e.getMessage()));
    }
  }

  private Verified verifyFirst() throws IOException, InterruptedException {
    return parts
        .log()
        .step(
            "verify",
            Verified.class,
            events -> {
              Verified result = parts.workbench().verify(tree);
              events.on(finished(0, result));
              return RunLog.Done.free(result);
            });
  }

  private Stop loop() throws IOException, InterruptedException {
    while (true) {
      switch (rules.next(state)) {
        case LoopDecision.Stop stop -> {
          return stop(stop.reason(), stop.detail() + notTried);
        }
        case LoopDecision.Repair repair -> {
          if (repaired(repair.iteration())) {
            return stop(EndReason.VERIFICATION_PASSED, "iteration " + repair.iteration());
          }
        }
        case LoopDecision.Escalate escalation -> {
          Stop end = escalated(escalation.reason());
          if (end != null) {
            return end;
          }
        }
      }
    }
  }

  /** Runs one L2 iteration; returns whether the verification passes after it. */
  private boolean repaired(int iteration) throws IOException, InterruptedException {
    parts.log().note(new RunEvent.IterationStarted(iteration));
    ModelText output = answer(iteration);
    // An answer for which the budget has no call left is no repair (E48).
    state = state.begun();
    switch (trial(iteration, output)) {
      case Trial.NoDiff none -> {
        state = state.withoutDiff();
        learn("An earlier answer held no change: " + none.why());
      }
      case Trial.NoOp none -> {
        state = state.unchanged();
        learn(Prompts.CHANGED_NOTHING);
      }
      case Trial.Refused refused -> {
        state = state.notApplied();
        learn("An earlier patch did not apply: " + refused.why());
      }
      case Trial.Applied applied -> {
        notTried = "";
        state = state.verified(applied.verified().signature());
        took(applied);
        return applied.verified().passed();
      }
    }
    return false;
  }

  private ModelText answer(int iteration) throws IOException, InterruptedException {
    return parts
        .log()
        .step(
            "iteration-" + iteration + "/answer",
            ModelText.class,
            events -> {
              budget.requireLeft();
              RepairRepository.Sources sources = parts.workbench().sources(tree);
              String prompt = Prompts.repair(task, tree, verified, signals, sources);
              return parts.models().ask(Prompts.REPAIR, prompt, 0, events);
            });
  }

  private Trial trial(int iteration, ModelText output) throws IOException, InterruptedException {
    return parts
        .log()
        .step(
            "iteration-" + iteration + "/trial",
            Trial.class,
            events -> {
              Trial result = output.explained(parts.workbench().attempt(tree, output.text(), 0));
              report(iteration, result, events);
              return RunLog.Done.free(result);
            });
  }

  /** Keeps an error for the next models, and for people where the run ends here. */
  private void learn(String why) {
    signals.add(why);
    notTried = ". " + why;
  }

  private static void report(int iteration, Trial trial, RunLog.Events events) {
    switch (trial) {
      case Trial.NoDiff none ->
          events.on(new RunEvent.RepairAttempted(iteration, "no_diff", true, 0, none.why()));
      case Trial.NoOp none ->
          events.on(new RunEvent.RepairAttempted(iteration, "no_op", false, 0, ""));
      case Trial.Refused refused ->
          events.on(new RunEvent.RepairAttempted(iteration, "refused", false, 0, refused.why()));
      case Trial.Applied applied -> {
        events.on(new RunEvent.RepairAttempted(iteration, "applied", false, applied.lines(), ""));
        events.on(finished(iteration, applied.verified()));
      }
    }
  }

  private static RunEvent finished(int iteration, Verified verified) {
    return new RunEvent.VerificationFinished(
        iteration, verified.passed(), verified.signature(), verified.failing(), verified.flaky());
  }

  /**
   * Keeps a patch that improved something. Any other is taken back, so that the result stays small.
   */
  private void took(Trial.Applied applied) {
    Verified after = applied.verified();
    if (after.isWorthKeepingOver(verified)) {
      tree = applied.tree();
      verified = after;
    } else {
      signals.add(
          "This change was tried and taken back, because the verification still failed:\n"
              + applied.tree().diff());
    }
    if (bestTried.diff().isEmpty() || after.isWorthKeepingOver(bestVerified)) {
      bestTried = applied.tree();
      bestVerified = after;
    }
  }

  /** Runs an L3 step; returns null where L2 goes on from its candidate. */
  private @Nullable Stop escalated(String reason) throws IOException, InterruptedException {
    state = state.escalated(verified.signature());
    int step = state.escalations();
    parts.log().note(new RunEvent.RunEscalated("L2", "L3", reason));
    StepOutcome outcome =
        new CandidateStep(parts, settings, task, step, signals).run(tree, verified);
    return switch (outcome) {
      case StepOutcome.Failed failed -> stop(failed.reason(), failed.detail());
      case StepOutcome.Chosen chosen -> {
        Trial.Applied applied = chosen.candidate().trial();
        notTried = "";
        state = state.goingOn(applied.verified().signature());
        took(applied);
        yield applied.verified().passed()
            ? stop(
                EndReason.VERIFICATION_PASSED,
                "candidate " + chosen.candidate().number() + " of step " + step)
            : null;
      }
    };
  }

  private Stop stop(EndReason reason, String detail) {
    boolean kept = reason.isSuccess() || !tree.diff().isEmpty();
    return new Stop(
        reason,
        detail,
        kept ? tree : bestTried,
        kept ? verified : bestVerified,
        state,
        List.copyOf(signals));
  }
}
