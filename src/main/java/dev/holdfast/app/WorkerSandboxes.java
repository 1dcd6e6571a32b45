package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Chooses the sandbox of tools' programs, for a worker or to describe this machine. */
final class WorkerSandboxes {
  private WorkerSandboxes() {}

  /** Begins to find out which sandbox works. */
  static Sandboxes of(Settings settings) {
    return Sandboxes.of(settings.agents().sandbox(), System.getenv(), hidden(settings));
  }

  /**
   * Returns what is hidden: the configuration, passwords and tokens, and the workspaces of other
   * tickets.
   */
  private static List<Path> hidden(Settings settings) {
    List<Path> hidden =
        new ArrayList<>(
            List.of(
                Path.of(".holdfast"),
                Path.of("holdfast.yaml"),
                settings.agents().handler().workspaceRoot(),
                settings.command().workspaceRoot(),
                settings.repair().workspaceRoot(),
                settings.repair().runsRoot()));
    String file = System.getenv().getOrDefault("HOLDFAST_CONFIG", "");
    if (!file.isBlank()) {
      hidden.add(Path.of(file));
    }
    hidden.addAll(settings.secretFiles());
    return hidden;
  }
}
