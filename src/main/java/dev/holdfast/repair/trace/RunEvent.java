package dev.holdfast.repair.trace;

import dev.holdfast.repair.EndReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event of a run. In the trace, {@code type} is the name of the record and {@code payload} its
 * components; the names are the source's (E25, E27, E30, E36, E39, E10).
 */
public sealed interface RunEvent {
  /**
   * @param level {@code L2}: where every run begins
   * @param base the commit that is repaired
   */
  record RunStarted(String level, String base) implements RunEvent {}

  record IterationStarted(int iteration) implements RunEvent {}

  /**
   * @param outcome {@code applied}, {@code no_op} (E44: it applied and changed nothing, so it was
   *     not verified again), {@code refused} or {@code no_diff}
   * @param noDiff the marker of an output without a diff (E22)
   * @param lines of the diff from the base commit; 0 where nothing applied
   */
  record RepairAttempted(int iteration, String outcome, boolean noDiff, int lines, String error)
      implements RunEvent {}

  /**
   * @param iteration 0 for the verification before any repair
   */
  record VerificationFinished(
      int iteration, boolean passed, String failureSignature, List<String> failing, boolean flaky)
      implements RunEvent {}

  record RunEscalated(String from, String to, String reason) implements RunEvent {}

  record StepStarted(int step) implements RunEvent {}

  /**
   * @param valid whether the output has a patch that can be read
   * @param error why not; "" where it is valid
   */
  record CandidateGenerated(int step, int attempt, int candidate, boolean valid, String error)
      implements RunEvent {}

  /**
   * @param applied whether the patch applied
   * @param lines of its diff; 0 where it applied and changed nothing (E44)
   */
  record CandidateEvaluated(
      int step,
      int attempt,
      int candidate,
      boolean applied,
      boolean passed,
      int lines,
      String error)
      implements RunEvent {}

  /**
   * @param ranked candidates, the best first; empty where the reviewer failed
   */
  record ReviewFinished(int step, List<Ranking> ranked, String error) implements RunEvent {}

  record JudgeInvoked(int step, List<Integer> candidates) implements RunEvent {}

  record JudgeDecided(int step, int winner, String confidence) implements RunEvent {}

  /**
   * @param winner the best-ranked candidate, who is taken then (E31)
   */
  record JudgeFailed(int step, int winner, String error) implements RunEvent {}

  record DiagnosisStarted(int step, int attempt) implements RunEvent {}

  /**
   * @param hypothesis the one that was chosen; null where there is none
   */
  record DiagnosisCompleted(int step, @Nullable String hypothesis, String error)
      implements RunEvent {}

  /**
   * @param outcome {@code passing}, {@code best_ranked} or a stop reason
   * @param candidate 0 where none was chosen
   * @param judge null where it was not used
   */
  record StepFinished(int step, String outcome, int candidate, @Nullable JudgeInfo judge)
      implements RunEvent {}

  record ProviderRequestStarted(String provider, String model) implements RunEvent {}

  /**
   * A request to a provider is over, with its retries (E10).
   *
   * @param sent false where not even the first try was sent; traces of versions before do not say
   * @param uncounted the tries that closed their provider and cost nothing
   */
  record ProviderRequestFinished(
      String provider,
      int retries,
      boolean success,
      long durationMs,
      @Nullable String error,
      boolean sent,
      int uncounted)
      implements RunEvent {}

  /**
   * The last event of a run, once.
   *
   * @param reason the wire name of a {@link EndReason}
   */
  record RunStopped(String reason, String detail, int iterations, int escalations)
      implements RunEvent {}

  /**
   * @param score 0 to 10, more is better
   */
  record Ranking(int candidate, double score, String why) {}

  /**
   * @param failed whether the best-ranked candidate was taken in the judge's place
   * @param confidence {@code high}, {@code medium} or {@code low}
   */
  record JudgeInfo(boolean failed, int winner, String confidence) {}
}
