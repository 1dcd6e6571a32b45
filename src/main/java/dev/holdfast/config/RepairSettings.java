package dev.holdfast.config;

import java.nio.file.Path;

/**
 * What tickets of kind {@code repair} work with, besides the agents' providers.
 *
 * @param workspaceRoot where each ticket has its copy of a repository
 * @param runsRoot where each run has its trace
 * @param parallel candidates that are verified at once; 0 for one for each processor
 */
public record RepairSettings(Path workspaceRoot, Path runsRoot, int parallel) {
  static RepairSettings of(Values values) {
    return new RepairSettings(
        Path.of(values.get(HandlerKeys.REPAIR_WORKSPACE_ROOT)),
        Path.of(values.get(HandlerKeys.REPAIR_RUNS_ROOT)),
        values.get(HandlerKeys.REPAIR_PARALLEL));
  }

  /** At least 1. */
  public int width() {
    return parallel > 0 ? parallel : Runtime.getRuntime().availableProcessors();
  }
}
