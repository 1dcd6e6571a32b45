package dev.holdfast.cli.ticket;

import dev.holdfast.batch.Release;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast release list}. */
@Command(
    name = "list",
    description = "List releases in steps, the newest first.",
    footer = {"", "Example:", "  holdfast release list"})
final class ReleaseListCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--limit", paramLabel = "N", description = "How many; default 20.")
  private int limit = 20;

  @Option(names = "--json", description = "Print a JSON array of releases.")
  private boolean json;

  ReleaseListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    Words.limit(limit);
    try (Backend backend = root.open()) {
      List<Release> releases = backend.releases().list(limit, null);
      if (json) {
        root.terminal().line(JsonOutput.of(releases));
      } else if (releases.isEmpty()) {
        root.terminal()
            .progress(
                "no releases in steps; holdfast release --fingerprint F --canary 3 starts one");
      } else {
        TextTable table = new TextTable("ID", "OF", "STARTED", "BY", "STEPS", "PROGRESS");
        for (Release each : releases) {
          table.row(
              each.id(),
              each.selection(),
              each.createdAt().truncatedTo(ChronoUnit.SECONDS),
              each.createdBy(),
              each.stepWords(),
              each.progress());
        }
        table.print(root.terminal());
      }
      return ExitCode.DONE;
    }
  }
}
