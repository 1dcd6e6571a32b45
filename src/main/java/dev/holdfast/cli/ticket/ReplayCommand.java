package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast replay}. */
@Command(
    name = "replay",
    description = "Work a workflow again from one of its steps on, and print the id of what runs.",
    footer = {
      "",
      "The steps that do not wait for this one keep their results. What is open of the others is",
      "cancelled. A workflow that is done or cancelled stays so, and a new one takes its place.",
      "",
      "Examples:",
      "  holdfast show 17 --tree",
      "  holdfast replay 17 --from summarise"
    })
public final class ReplayCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", description = "The workflow.")
  private String id = "";

  @Option(
      names = "--from",
      paramLabel = "STEP",
      required = true,
      description = "The first step that is worked again.")
  private String from = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print {\"id\": N}.")
  private boolean json;

  public ReplayCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      long runs = backend.desk().replay(Words.id(id), by.name(root), from);
      root.terminal().line(json ? JsonOutput.of(Map.of("id", runs)) : Long.toString(runs));
      return ExitCode.DONE;
    }
  }
}
