package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunEvent;
import dev.holdfast.repair.trace.RunEvent.JudgeInfo;
import dev.holdfast.repair.trace.RunEvent.Ranking;
import dev.holdfast.repair.trace.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An L3 step: several candidates at once, of which one is chosen (E26-E39). An attempt whose
 * candidates all fail to apply, or to be patches at all, is made again with what was learnt, a
 * bounded number of times (E37). Used by one thread, once.
 */
final class CandidateStep {
  /** The number of outputs in a row without a valid patch that end the step (E33). */
  private static final int INVALID_LIMIT = 2;

  /** The parts of the run that its steps use. */
  record Parts(RunLog log, RepairRepository workbench, Models models, Advice advice, int width) {}

  private final Parts parts;
  private final RepairSettings settings;
  private final RepairTask task;
  private final int step;
  private final List<String> signals;
  private int invalid;
  private ApplyFailures applyFailures = ApplyFailures.NONE;

  /**
   * @param signals known so far; what the step learns is added
   */
  CandidateStep(
      Parts parts, RepairSettings settings, RepairTask task, int step, List<String> signals) {
    this.parts = parts;
    this.settings = settings;
    this.task = task;
    this.step = step;
    this.signals = signals;
  }

  private record Generated(int number, ModelText output, String error) {}

  /** Runs the step from a state whose verification fails. */
  StepOutcome run(Tree tree, Verified verified) throws IOException, InterruptedException {
    parts.log().note(new RunEvent.StepStarted(step));
    for (int attempt = 1; attempt <= settings.l3().maxAttempts(); attempt++) {
      StepOutcome outcome = attempt(attempt, tree, verified);
      if (outcome != null) {
        return outcome;
      }
    }
    return failed(
        EndReason.REPEATED_FAILURE,
        "no candidate of %s attempts applied: %s"
            .formatted(settings.l3().maxAttempts(), signals.getLast()));
  }

  /** Makes one attempt; returns null where another may be made. */
  private @Nullable StepOutcome attempt(int attempt, Tree tree, Verified verified)
      throws IOException, InterruptedException {
    String name = "l3-" + step + "/attempt-" + attempt;
    parts.log().mark(name);
    List<Generated> generated = generate(name, attempt, tree, verified);
    int mostInvalid = mostInvalidInARow(generated);
    List<Generated> valid = generated.stream().filter(each -> each.error().isEmpty()).toList();
    List<Trial> trials = evaluate(name, attempt, tree, valid);
    List<Candidate> applied = new ArrayList<>();
    for (int i = 0; i < trials.size(); i++) {
      if (trials.get(i) instanceof Trial.Applied each) {
        applied.add(new Candidate(valid.get(i).number(), each));
      }
    }
    if (!applied.isEmpty()) {
      return chosen(name, applied);
    }
    learn(generated, trials);
    return mostInvalid < INVALID_LIMIT
        ? notApplied(name, attempt, trials, verified)
        : failed(
            EndReason.INVALID_OUTPUT,
            mostInvalid + " outputs in a row had no valid patch: " + lastError(generated));
  }

  /**
   * Returns the most invalid outputs in a row. Counts on from the attempt before, in the order of
   * the candidates (E33). A valid patch of the same attempt is tried all the same, because it is
   * paid for.
   */
  private int mostInvalidInARow(List<Generated> generated) {
    int most = 0;
    for (Generated each : generated) {
      invalid = each.error().isEmpty() ? 0 : invalid + 1;
      most = Math.max(most, invalid);
    }
    return most;
  }

  private static String lastError(List<Generated> generated) {
    return generated.stream()
        .map(Generated::error)
        .filter(error -> !error.isEmpty())
        .reduce("", (earlier, later) -> later);
  }

  /** Keeps each error once, for the next attempt and for people. */
  private void learn(List<Generated> generated, List<Trial> trials) {
    Set<String> learnt = new LinkedHashSet<>();
    for (Generated each : generated) {
      if (!each.error().isEmpty()) {
        learnt.add("An earlier answer had no usable patch: " + each.error());
      }
    }
    for (Trial trial : trials) {
      switch (trial) {
        case Trial.NoDiff each -> learnt.add("An earlier answer held no change: " + each.why());
        case Trial.NoOp each -> learnt.add(Prompts.CHANGED_NOTHING);
        case Trial.Refused each -> learnt.add("An earlier patch did not apply: " + each.why());
        case Trial.Applied each -> {
          // It is chosen from, so there is nothing to learn.
        }
      }
    }
    signals.addAll(learnt);
  }

  private List<Generated> generate(String name, int attempt, Tree tree, Verified verified)
      throws IOException, InterruptedException {
    String prompt = Prompts.repair(task, tree, verified, signals, parts.workbench().sources(tree));
    List<Integer> numbers = IntStream.rangeClosed(1, settings.l3().bestOfN()).boxed().toList();
    Queue<BudgetExceededException> unpaid = new ConcurrentLinkedQueue<>();
    List<Optional<ModelText>> outputs =
        Parallel.run(
            numbers,
            numbers.size(),
            number -> {
              try {
                return Optional.of(output(name, number, prompt));
              } catch (BudgetExceededException e) {
                unpaid.add(e);
                return Optional.empty();
              }
            });
    if (unpaid.size() == numbers.size()) {
      throw unpaid.element();
    }
    // Outputs that were paid for are tried, although the budget allowed no others.
    List<Generated> generated = new ArrayList<>();
    for (int number : numbers) {
      Optional<ModelText> output = outputs.get(number - 1);
      if (output.isPresent()) {
        generated.add(checked(name, attempt, number, tree, output.get()));
      }
    }
    return generated;
  }

  private ModelText output(String name, int number, String prompt)
      throws IOException, InterruptedException {
    String own = prompt + Prompts.angle(number, settings.l3().bestOfN());
    return parts
        .log()
        .step(
            name + "/candidate-" + number,
            ModelText.class,
            events -> parts.models().ask(Prompts.REPAIR, own, number - 1, events));
  }

  /** Checks whether an output has a valid patch (E27). */
  private Generated checked(String name, int attempt, int number, Tree tree, ModelText output)
      throws IOException, InterruptedException {
    String error =
        parts
            .log()
            .step(
                name + "/validity-" + number,
                String.class,
                events -> {
                  String problem =
                      parts
                          .workbench()
                          .invalidity(tree, output.text(), number - 1)
                          .map(output::explained)
                          .orElse("");
                  events.on(
                      new RunEvent.CandidateGenerated(
                          step, attempt, number, problem.isEmpty(), problem));
                  return RunLog.Done.free(problem);
                });
    return new Generated(number, output, error);
  }

  /** Tries each patch in a worktree of its own (E26). */
  private List<Trial> evaluate(String name, int attempt, Tree tree, List<Generated> valid)
      throws IOException, InterruptedException {
    return Parallel.run(
        valid.stream().map(Generated::number).toList(),
        parts.width(),
        number ->
            parts
                .log()
                .step(
                    name + "/trial-" + number,
                    Trial.class,
                    events -> {
                      ModelText output = output(valid, number);
                      Trial trial =
                          output.explained(
                              parts.workbench().attempt(tree, output.text(), number - 1));
                      events.on(evaluated(attempt, number, trial));
                      return RunLog.Done.free(trial);
                    }));
  }

  private static ModelText output(List<Generated> valid, int number) {
    return valid.stream()
        .filter(each -> each.number() == number)
        .findFirst()
        .orElseThrow()
        .output();
  }

  private RunEvent evaluated(int attempt, int number, Trial trial) {
    return switch (trial) {
      case Trial.Applied each ->
          new RunEvent.CandidateEvaluated(
              step, attempt, number, true, each.verified().passed(), each.lines(), "");
      case Trial.Refused each ->
          new RunEvent.CandidateEvaluated(step, attempt, number, false, false, 0, each.why());
      case Trial.NoOp each ->
          new RunEvent.CandidateEvaluated(step, attempt, number, true, false, 0, "");
      case Trial.NoDiff each ->
          new RunEvent.CandidateEvaluated(step, attempt, number, false, false, 0, each.why());
    };
  }

  /**
   * Handles an attempt of which nothing applied (E34-E36). Each diagnosis resets the count of
   * failures, so that there may be another one.
   */
  private @Nullable StepOutcome notApplied(
      String name, int attempt, List<Trial> trials, Verified verified)
      throws IOException, InterruptedException {
    List<Trial.Refused> refused =
        trials.stream()
            .filter(Trial.Refused.class::isInstance)
            .map(Trial.Refused.class::cast)
            .toList();
    applyFailures =
        applyFailures.with(refused.stream().map(Trial.Refused::errorHash).distinct().toList());
    int failures = applyFailures.longest();
    if (failures < settings.diagnosis().triggerOnRepeatedFailures()) {
      return null;
    }
    if (!settings.diagnosis().enabled() || attempt == settings.l3().maxAttempts()) {
      return failed(
          EndReason.REPEATED_FAILURE,
          failures + " attempts in a row failed to apply with the same error: " + lasting(refused));
    }
    diagnose(name, attempt, verified);
    return null;
  }

  private String lasting(List<Trial.Refused> refused) {
    return refused.stream()
        .max(Comparator.comparingInt(each -> applyFailures.of(each.errorHash())))
        .map(Trial.Refused::why)
        .orElseThrow();
  }

  private void diagnose(String name, int attempt, Verified verified)
      throws IOException, InterruptedException {
    String hypothesis =
        parts
            .advice()
            .diagnose(
                name,
                step,
                attempt,
                settings.diagnosis().maxTotBranches(),
                Prompts.situation(task, verified, signals));
    applyFailures = ApplyFailures.NONE;
    if (!hypothesis.isEmpty()) {
      signals.add(Prompts.DIAGNOSED + hypothesis);
    }
  }

  private StepOutcome chosen(String name, List<Candidate> applied)
      throws IOException, InterruptedException {
    Shortlist shortlist = shortlist(name, applied);
    Candidate best = shortlist.first();
    JudgeInfo judge = null;
    if (settings.l3().enableJudge() && !shortlist.near().isEmpty()) {
      judge = parts.advice().judge(name, step, shortlist);
      int winner = judge.winner();
      best = applied.stream().filter(each -> each.number() == winner).findFirst().orElse(best);
    }
    String outcome = best.passes() ? "passing" : "best_ranked";
    parts.log().note(new RunEvent.StepFinished(step, outcome, best.number(), judge));
    return new StepOutcome.Chosen(best);
  }

  private Shortlist shortlist(String name, List<Candidate> applied)
      throws IOException, InterruptedException {
    List<Candidate> passing = applied.stream().filter(Candidate::passes).toList();
    if (!passing.isEmpty()) {
      return Shortlist.ofPassing(passing);
    }
    if (applied.size() < 2 || !settings.l3().enableReviewer()) {
      return Shortlist.ofUnreviewed(applied);
    }
    List<Ranking> rankings = parts.advice().review(name, step, applied);
    return rankings.isEmpty()
        ? Shortlist.ofUnreviewed(applied)
        : Shortlist.ofReviewed(applied, rankings);
  }

  private StepOutcome failed(EndReason reason, String detail) {
    parts.log().note(new RunEvent.StepFinished(step, reason.wireName(), 0, null));
    return new StepOutcome.Failed(reason, detail);
  }
}
