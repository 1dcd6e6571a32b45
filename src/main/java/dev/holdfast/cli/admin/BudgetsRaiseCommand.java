package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import java.math.BigDecimal;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast budgets raise}. */
@Command(
    name = "raise",
    description =
        "Set a budget, make it where there is none, and release the tickets that it held. A"
            + " configured one keeps this until its configuration changes.",
    footer = {
      "",
      "Examples:",
      "  holdfast budgets raise day --to 150",
      "  holdfast budgets raise design:fixer --to 20 --per total",
      "  holdfast budgets raise ticket:17 --to 5"
    })
final class BudgetsRaiseCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(
      paramLabel = "SCOPE",
      description = "day, design:NAME, key:PROVIDER/KEY_ID (or key-1, *) or ticket:ID.")
  private String scope = "";

  @Option(names = "--to", paramLabel = "USD", required = true, description = "The new limit.")
  private String to = "";

  @Option(
      names = "--per",
      paramLabel = "PERIOD",
      description = "day or total; a new budget is per day.")
  private @Nullable String per;

  @Mixin private final ByOption by = new ByOption();

  BudgetsRaiseCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (per != null && !per.equals("day") && !per.equals("total")) {
      throw new UsageException("--per: day or total");
    }
    try (Backend backend = root.open()) {
      BigDecimal usd = Words.money("--to", to);
      for (String each : BudgetScopes.of(root, backend, scope)) {
        long released = backend.spending().raise(each, usd, by.name(root), per);
        root.terminal()
            .line(
                "set %s to %s USD: released %s"
                    .formatted(PlainText.oneLine(each), to.strip(), released));
      }
      return ExitCode.DONE;
    }
  }
}
