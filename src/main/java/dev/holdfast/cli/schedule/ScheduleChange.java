package dev.holdfast.cli.schedule;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.schedule.ScheduleDesk;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that changes one schedule by its name. */
@Command
final class ScheduleChange implements Callable<Integer> {
  /** Does it, and says what is printed. */
  @FunctionalInterface
  interface Change {
    String apply(ScheduleDesk desk, String name, String by);
  }

  private final HoldfastCommand root;
  private final Change change;

  @Parameters(paramLabel = "NAME", description = "As in: holdfast schedule list.")
  private String name = "";

  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "Who decides this; default: your user name.")
  private @Nullable String by;

  private ScheduleChange(HoldfastCommand root, Change change) {
    this.root = root;
    this.change = change;
  }

  static CommandLine of(HoldfastCommand root, String description, Change change) {
    CommandLine line = new CommandLine(new ScheduleChange(root, change));
    line.getCommandSpec().usageMessage().description(description);
    return line;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      String told = change.apply(backend.schedules(), name, by == null ? root.person() : by);
      root.terminal().line(PlainText.oneLine(told));
      return ExitCode.DONE;
    }
  }
}
