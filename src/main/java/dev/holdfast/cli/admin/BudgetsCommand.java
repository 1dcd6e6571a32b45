package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.NamedChange;
import dev.holdfast.cli.root.UsageHelp;
import dev.holdfast.queue.spending.BudgetStatus;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast budgets}. */
@Command(
    name = "budgets",
    description = "Show the budgets that all workers share, with what is spent of each.",
    footer = {
      "",
      "Examples:",
      "  holdfast budgets",
      "  holdfast budgets raise day --to 150",
      "  holdfast budgets raise ticket:17 --to 5"
    })
public final class BudgetsCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--json", description = "Print a JSON array of budgets.")
  private boolean json;

  private BudgetsCommand(HoldfastCommand root) {
    this.root = root;
  }

  /** Makes the command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new BudgetsCommand(root))
        .addSubcommand("raise", new BudgetsRaiseCommand(root))
        .addSubcommand("remove", remove(root));
  }

  private static CommandLine remove(HoldfastCommand root) {
    return UsageHelp.of(
        NamedChange.of(
            root,
            "SCOPE",
            "As holdfast budgets shows it.",
            (backend, scope, by) -> removed(root, backend, scope, by)),
        "Take a budget away, with what was spent of it, and release the tickets that it held. One"
            + " that is configured comes back with the next start of a worker.",
        "holdfast budgets remove design:fixer");
  }

  private static String removed(HoldfastCommand root, Backend backend, String scope, String by) {
    long released = 0;
    for (String each : BudgetScopes.of(root, backend, scope)) {
      released += backend.spending().remove(each, by);
    }
    return "removed " + scope + ": released " + released;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      List<BudgetStatus> budgets = backend.spending().budgets();
      if (json) {
        root.terminal().line(JsonOutput.of(budgets));
      } else if (budgets.isEmpty()) {
        root.terminal().progress("no budgets; holdfast budgets raise day --to USD makes one");
      } else {
        table(budgets).print(root.terminal());
      }
      return ExitCode.DONE;
    }
  }

  static TextTable table(List<BudgetStatus> budgets) {
    TextTable table =
        new TextTable("BUDGET", "PER", "LIMIT USD", "SPENT", "RESERVED", "HELD", "SET BY");
    for (BudgetStatus each : budgets) {
      table.row(
          each.scope(),
          each.per(),
          shown(each.limitUsd()),
          shown(each.spentUsd()),
          shown(each.reservedUsd()),
          each.held(),
          each.limitUsd().equals(each.configuredUsd()) ? "configuration" : each.changedBy());
    }
    return table;
  }

  private static String shown(BigDecimal usd) {
    return usd.signum() == 0 ? "0" : usd.stripTrailingZeros().toPlainString();
  }
}
