package dev.holdfast.cli.batch;

import dev.holdfast.batch.BatchDesk;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that does one thing to all tickets of a batch. */
@Command
final class BatchChange implements Callable<Integer> {
  /** Does it, and returns for how many tickets. */
  @FunctionalInterface
  interface Change {
    long apply(BatchDesk desk, long batchId, String actor, String reason);
  }

  private final HoldfastCommand root;
  private final String done;
  private final Change change;

  @Parameters(paramLabel = "ID", description = "As in: holdfast batch list.")
  private String id = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT|@FILE",
      required = true,
      description = "Why; it is kept in the activity of each ticket.")
  private String reason = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print a JSON object with the number of tickets.")
  private boolean json;

  private BatchChange(HoldfastCommand root, String done, Change change) {
    this.root = root;
    this.done = done;
    this.change = change;
  }

  static CommandLine of(HoldfastCommand root, String done, String description, Change change) {
    CommandLine line = new CommandLine(new BatchChange(root, done, change));
    line.getCommandSpec().usageMessage().description(description);
    return line;
  }

  @Override
  public Integer call() {
    long batchId = BatchCommand.id(id);
    String words = Words.textOrFile("--reason", reason, root.terminal().in());
    try (Backend backend = root.open()) {
      long count = change.apply(backend.batches(), batchId, by.name(root), words);
      root.terminal()
          .line(
              json
                  ? JsonOutput.of(Map.of(done, count))
                  : done + " " + count + " tickets of batch " + batchId);
      return ExitCode.DONE;
    }
  }
}
