package dev.holdfast.cli.ticket;

import dev.holdfast.batch.Release;
import dev.holdfast.cli.output.ChangeLines;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.ticket.TicketNotFoundException;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast release show}. */
@Command(
    name = "show",
    description = "Show how far a release in steps is.",
    footer = {"", "Examples:", "  holdfast release show 4", "  holdfast release show 4 -w"})
final class ReleaseShowCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", description = "As in: holdfast release list.")
  private String id = "";

  @Option(
      names = {"-w", "--watch"},
      description = "Print a line whenever it changes, until the release has ended.")
  private boolean watch;

  @Option(names = "--json", description = "Print a JSON object; with -w one for each change.")
  private boolean json;

  ReleaseShowCommand(HoldfastCommand root) {
    this.root = root;
  }

  static long id(String text) {
    return Words.id(text, "release", "holdfast release list");
  }

  static Release find(Backend backend, long id) {
    return backend
        .releases()
        .find(id)
        .orElseThrow(
            () ->
                new TicketNotFoundException(
                    "there is no release " + id + "; holdfast release list shows them"));
  }

  @Override
  public Integer call() throws InterruptedException {
    long releaseId = id(id);
    try (Backend backend = root.open()) {
      Release release = find(backend, releaseId);
      if (json) {
        root.terminal().line(JsonOutput.of(release));
      } else {
        print(release);
      }
      if (watch) {
        new ChangeLines<>(
                () -> find(backend, releaseId),
                each -> !each.isRunning(),
                Release::progress,
                each -> json ? JsonOutput.of(each) : PlainText.oneLine(each.progress()))
            .follow(root.terminal(), release);
      }
      return ExitCode.DONE;
    }
  }

  private void print(Release release) {
    root.terminal()
        .line(
            "release %s of %s, by %s at %s, steps %s"
                .formatted(
                    release.id(),
                    PlainText.cut(release.selection(), 200),
                    PlainText.oneLine(release.createdBy()),
                    release.createdAt().truncatedTo(ChronoUnit.SECONDS),
                    release.stepWords()));
    root.terminal().line(PlainText.oneLine(release.progress()));
  }
}
