package dev.holdfast.config;

import dev.holdfast.repair.RepairSettings.Candidates;
import dev.holdfast.repair.RepairSettings.Diagnosis;
import dev.holdfast.repair.RepairSettings.Escalation;
import dev.holdfast.repair.RepairSettings.Limits;
import java.nio.file.Path;

/**
 * The settings for tickets of kind {@code repair}, besides the agents' providers.
 *
 * @param workspaceRoot where each ticket has its copy of a repository
 * @param runsRoot where each run has its trace
 * @param parallel how many candidates are verified at once; 0 for one for each processor
 * @param usual the settings where a design does not give its own
 */
public record RepairTicketSettings(
    Path workspaceRoot, Path runsRoot, int parallel, dev.holdfast.repair.RepairSettings usual) {
  static RepairTicketSettings of(Values values) {
    return new RepairTicketSettings(
        Path.of(values.get(RepairKeys.WORKSPACE_ROOT)),
        Path.of(values.get(RepairKeys.RUNS_ROOT)),
        values.get(RepairKeys.PARALLEL),
        new dev.holdfast.repair.RepairSettings(
            Limits.DEFAULTS.withLlmTimeout(values.get(SessionKeys.LLM_TIMEOUT)),
            new Escalation(
                values.get(RepairKeys.ESCALATION_ENABLED),
                values.get(RepairKeys.ESCALATION_NON_IMPROVING),
                values.get(RepairKeys.ESCALATION_APPLY_FAILURES),
                values.get(RepairKeys.MAX_ESCALATIONS)),
            new Candidates(
                values.get(RepairKeys.BEST_OF_N),
                values.get(RepairKeys.ENABLE_REVIEWER),
                values.get(RepairKeys.ENABLE_JUDGE),
                values.get(RepairKeys.MAX_ATTEMPTS)),
            new Diagnosis(
                values.get(RepairKeys.DIAGNOSIS_ENABLED),
                values.get(RepairKeys.DIAGNOSIS_TRIGGER),
                values.get(RepairKeys.MAX_TOT_BRANCHES)),
            values.get(RepairKeys.JSON_RETRIES)));
  }

  /** Returns how many candidates are verified at once; at least 1. */
  public int width() {
    return parallel > 0 ? parallel : Runtime.getRuntime().availableProcessors();
  }
}
