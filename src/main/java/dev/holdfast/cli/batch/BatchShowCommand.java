package dev.holdfast.cli.batch;

import dev.holdfast.batch.Batch;
import dev.holdfast.cli.output.ChangeLines;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast batch show}. */
@Command(
    name = "show",
    description = "Show how far a batch is.",
    footer = {"", "Examples:", "  holdfast batch show 7", "  holdfast batch show 7 -w --json"})
final class BatchShowCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", description = "As in: holdfast batch list.")
  private String id = "";

  @Option(
      names = {"-w", "--watch"},
      description = "Print a line whenever it changes, until the batch has ended.")
  private boolean watch;

  @Option(names = "--json", description = "Print a JSON object; with -w one for each change.")
  private boolean json;

  BatchShowCommand(HoldfastCommand root) {
    this.root = root;
  }

  static long id(String text) {
    return Words.id(text, "batch", "holdfast batch list");
  }

  @Override
  public Integer call() throws InterruptedException {
    long batchId = id(id);
    try (Backend backend = root.open()) {
      Batch batch = backend.batches().find(batchId);
      if (json) {
        root.terminal().line(JsonOutput.of(batch));
      } else {
        print(batch);
      }
      if (watch) {
        new ChangeLines<>(
                () -> backend.batches().find(batchId),
                each -> each.endedAt() != null,
                Batch::progress,
                each -> json ? JsonOutput.of(each) : each.progress())
            .follow(root.terminal(), batch);
      }
      return ExitCode.DONE;
    }
  }

  private void print(Batch batch) {
    root.terminal()
        .line(
            "batch %s%s, by %s at %s"
                .formatted(
                    batch.id(),
                    batch.title() == null ? "" : " \"" + PlainText.oneLine(batch.title()) + "\"",
                    PlainText.oneLine(batch.createdBy()),
                    batch.createdAt().truncatedTo(ChronoUnit.SECONDS)));
    root.terminal().line(batch.progress());
    root.terminal()
        .line(
            "ready %s, in progress %s, on hold %s, in review %s, done %s, cancelled %s"
                .formatted(
                    batch.ready(),
                    batch.inProgress(),
                    batch.onHold(),
                    batch.needsReview(),
                    batch.done(),
                    batch.cancelled()));
  }
}
