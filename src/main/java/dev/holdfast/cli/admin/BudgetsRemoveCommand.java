package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast budgets remove}. */
@Command(
    name = "remove",
    description =
        "Take a budget away, with what was spent of it, and release the tickets that it held. One"
            + " that is configured comes back with the next start of a worker.",
    footer = {"", "Example:", "  holdfast budgets remove design:fixer"})
final class BudgetsRemoveCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "SCOPE", description = "As holdfast budgets shows it.")
  private String scope = "";

  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "Who decides this; default: your user name.")
  private @Nullable String by;

  BudgetsRemoveCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      long released = backend.spending().remove(scope, by == null ? root.person() : by);
      root.terminal().line("removed " + PlainText.oneLine(scope) + ": released " + released);
      return ExitCode.DONE;
    }
  }
}
