package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.repair.trace.RunSummary;
import dev.holdfast.retry.DurationText;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code holdfast runs}: the runs of repairs, and {@code runs stats}. */
@Command(
    name = "runs",
    description = "List the runs of repair tickets, the newest first; runs stats sums them up.",
    footer = {
      "",
      "Examples:",
      "  holdfast runs --since 7d",
      "  holdfast runs stats --json | jq .alerts",
      "  holdfast runs stats --traces .holdfast/runs"
    })
public final class RunsCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Mixin private final RunsSource source = new RunsSource();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many; default ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--json", description = "Print a JSON array of runs.")
  private boolean json;

  private RunsCommand(HoldfastCommand root) {
    this.root = root;
  }

  /** Makes the command with its subcommand. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new RunsCommand(root))
        .addSubcommand("stats", new RunsStatsCommand(root));
  }

  @Override
  public Integer call() {
    int most = Words.limit(limit);
    List<RunSummary> runs = RunSummary.of(source.events(root)).reversed();
    List<RunSummary> shown = runs.subList(0, Math.min(runs.size(), most));
    if (json) {
      root.terminal().line(JsonOutput.of(shown));
    } else if (shown.isEmpty()) {
      root.terminal().progress("no runs " + source.where());
    } else {
      print(shown);
    }
    return ExitCode.DONE;
  }

  private void print(List<RunSummary> runs) {
    Instant now = root.terminal().clock().instant();
    TextTable table =
        new TextTable(
            "TICKET", "BEGAN", "STATE", "ITERATIONS", "ESCALATIONS", "CANDIDATES", "CALLS", "RUN");
    for (RunSummary run : runs) {
      table.row(
          run.ticketId(),
          DurationText.ago(instant(run.at()), now),
          run.state(),
          run.iterations(),
          run.escalations(),
          run.candidates(),
          run.requests(),
          run.run());
    }
    table.print(root.terminal());
  }

  private static @Nullable Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      return null;
    }
  }
}
