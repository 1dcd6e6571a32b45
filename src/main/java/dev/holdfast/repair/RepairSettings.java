package dev.holdfast.repair;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a run; the numbers are the source's (E13-E39).
 *
 * @param jsonRetries how often an advising model's answer that is no JSON is asked for again (C23);
 *     2
 */
public record RepairSettings(
    Limits limits, Escalation escalation, Candidates l3, Diagnosis diagnosis, int jsonRetries) {
  public static final RepairSettings DEFAULTS =
      new RepairSettings(
          Limits.DEFAULTS, Escalation.DEFAULTS, Candidates.DEFAULTS, Diagnosis.DEFAULTS, 2);

  /**
   * The budgets of one run (E13, E16).
   *
   * @param maxIterations of the L2 loop; 5
   * @param maxDuration of the run, over all its attempts; 1 h
   * @param maxCalls of models with their retries; 60
   * @param maxCostUsd by the price tables; null for no bound
   * @param llmTimeout of one call
   * @param maxOutputTokens of one answer; null for the provider's own
   */
  public record Limits(
      int maxIterations,
      Duration maxDuration,
      int maxCalls,
      @Nullable BigDecimal maxCostUsd,
      Duration llmTimeout,
      @Nullable Integer maxOutputTokens) {
    public static final Limits DEFAULTS =
        new Limits(5, Duration.ofHours(1), 60, null, Duration.ofMinutes(2), null);

    public Limits withLlmTimeout(Duration timeout) {
      return new Limits(maxIterations, maxDuration, maxCalls, maxCostUsd, timeout, maxOutputTokens);
    }
  }

  /** The rule by which L2 gives way to competing candidates (E17, E24). */
  public record Escalation(
      boolean enabled,
      int toL3AfterNonImprovingIterations,
      int toL3AfterPatchApplyFailures,
      int maxEscalations) {
    public static final Escalation DEFAULTS = new Escalation(true, 2, 2, 1);
  }

  /**
   * @param bestOfN candidates of one attempt; 3
   * @param maxAttempts of one step, so that diagnosis can be reached (E37); 4
   */
  public record Candidates(
      int bestOfN, boolean enableReviewer, boolean enableJudge, int maxAttempts) {
    public static final Candidates DEFAULTS = new Candidates(3, true, true, 4);
  }

  /** The rule for diagnoses of repeated failures (E35). */
  public record Diagnosis(boolean enabled, int triggerOnRepeatedFailures, int maxTotBranches) {
    public static final Diagnosis DEFAULTS = new Diagnosis(true, 2, 3);
  }
}
