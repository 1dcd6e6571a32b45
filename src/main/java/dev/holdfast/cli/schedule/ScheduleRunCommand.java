package dev.holdfast.cli.schedule;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast schedule run}. */
@Command(
    name = "run",
    description =
        "Make one ticket now, whatever its times, its pause and its overlap say; print its id.",
    footer = {"", "Example:", "  holdfast schedule run nightly"})
final class ScheduleRunCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "NAME", description = "As in: holdfast schedule list.")
  private String name = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print {\"id\": N}.")
  private boolean json;

  ScheduleRunCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      long id = backend.schedules().run(name, by.name(root));
      root.terminal().line(json ? JsonOutput.of(Map.of("id", id)) : Long.toString(id));
      return ExitCode.DONE;
    }
  }
}
