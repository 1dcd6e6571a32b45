package dev.holdfast.cli.limit;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.limit.Limit;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast limit list}. */
@Command(
    name = "list",
    description = "List the limits, with what runs and what stands in line under each.",
    footer = {"", "Example:", "  holdfast limit list"})
final class LimitListCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--json", description = "Print a JSON array of limits.")
  private boolean json;

  LimitListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      List<Limit> limits = backend.limits().list();
      if (json) {
        root.terminal().line(JsonOutput.of(limits));
      } else if (limits.isEmpty()) {
        root.terminal()
            .progress("no limits; holdfast limit set queue:NAME --concurrent N makes one");
      } else {
        TextTable table = new TextTable("SCOPE", "LIMIT", "RUNNING", "IN LINE", "SET BY");
        for (Limit each : limits) {
          table.row(
              each.scope(),
              each.words(),
              each.concurrent() == null && each.perKey() == null
                  ? "-"
                  : Long.toString(each.running()),
              Long.toString(each.waiting()),
              each.setBy());
        }
        table.print(root.terminal());
      }
      return ExitCode.DONE;
    }
  }
}
