package dev.holdfast.cli.ticket;

import dev.holdfast.batch.Release;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast release stop}. */
@Command(
    name = "stop",
    description =
        "Stop a release in steps: it releases nothing more. What it has released goes on.",
    footer = {"", "Example:", "  holdfast release stop 4"})
final class ReleaseStopCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", description = "As in: holdfast release list.")
  private String id = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print the release as a JSON object.")
  private boolean json;

  ReleaseStopCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    long releaseId = Words.id(id, "release", "holdfast release list");
    try (Backend backend = root.open()) {
      Release release = backend.releases().stop(releaseId, by.name(root));
      root.terminal().line(json ? JsonOutput.of(release) : PlainText.oneLine(release.progress()));
      return ExitCode.DONE;
    }
  }
}
