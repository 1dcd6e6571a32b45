package dev.holdfast.cli.batch;

import dev.holdfast.batch.Batch;
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

/** {@code holdfast batch list}. */
@Command(
    name = "list",
    description = "List batches, the newest first.",
    footer = {"", "Example:", "  holdfast batch list --limit 5"})
final class BatchListCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--limit", paramLabel = "N", description = "How many; default 20.")
  private int limit = 20;

  @Option(names = "--json", description = "Print a JSON array of batches.")
  private boolean json;

  BatchListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    Words.limit(limit);
    try (Backend backend = root.open()) {
      List<Batch> batches = backend.batches().list(limit, null);
      if (json) {
        root.terminal().line(JsonOutput.of(batches));
      } else if (batches.isEmpty()) {
        root.terminal().progress("no batches; holdfast enqueue --file TICKETS.jsonl makes one");
      } else {
        TextTable table = new TextTable("ID", "TITLE", "CREATED", "BY", "PROGRESS");
        for (Batch each : batches) {
          table.row(
              each.id(),
              each.title() == null ? "-" : each.title(),
              each.createdAt().truncatedTo(ChronoUnit.SECONDS),
              each.createdBy(),
              each.progress());
        }
        table.print(root.terminal());
      }
      return ExitCode.DONE;
    }
  }
}
