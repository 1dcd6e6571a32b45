package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.ticket.Design;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast design list}. */
@Command(
    name = "list",
    description = "List the designs with their latest version.",
    footer = {"", "Example:", "  holdfast design list"})
final class DesignListCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--json", description = "Print a JSON array of designs.")
  private boolean json;

  DesignListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      List<Design> designs = backend.designs().list();
      if (json) {
        root.terminal().line(JsonOutput.of(designs));
      } else if (designs.isEmpty()) {
        root.terminal().progress("no designs; holdfast design put NAME --file FILE makes one");
      } else {
        TextTable table = new TextTable("NAME", "VERSION", "KIND");
        designs.forEach(each -> table.row(each.name(), each.version(), each.kind()));
        table.print(root.terminal());
      }
      return ExitCode.DONE;
    }
  }
}
