package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.spending.BudgetStatus;
import dev.holdfast.queue.spending.ProviderStatus;
import dev.holdfast.retry.DurationText;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast providers}. */
@Command(
    name = "providers",
    description =
        "Show the providers and accounts that no worker calls now, why and until when, and what is"
            + " spent.",
    footer = {
      "",
      "Examples:",
      "  holdfast providers",
      "  holdfast providers mend openai",
      "  holdfast providers --json | jq '.providers[] | select(.state == \"unavailable\")'"
    })
public final class ProvidersCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--json", description = "Print one JSON object: providers, budgets.")
  private boolean json;

  private ProvidersCommand(HoldfastCommand root) {
    this.root = root;
  }

  /** Makes the command with its subcommand. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new ProvidersCommand(root))
        .addSubcommand("mend", new ProvidersMendCommand(root));
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      List<ProviderStatus> providers = backend.spending().providers();
      List<BudgetStatus> budgets = backend.spending().budgets();
      if (json) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("providers", providers);
        all.put("budgets", budgets);
        root.terminal().line(JsonOutput.of(all));
        return ExitCode.DONE;
      }
      print(providers, backend.reader().now());
      if (!budgets.isEmpty()) {
        root.terminal().line("");
        BudgetsCommand.table(budgets).print(root.terminal());
      }
      return ExitCode.DONE;
    }
  }

  private void print(List<ProviderStatus> providers, Instant now) {
    if (providers.isEmpty()) {
      root.terminal().progress("every provider may be called");
      return;
    }
    TextTable table =
        new TextTable("PROVIDER", "KEY", "MODEL", "STATE", "UNTIL", "WAITING", "HELD", "WHY");
    for (ProviderStatus each : providers) {
      table.row(
          each.provider(),
          each.keyId(),
          each.model(),
          each.state(),
          each.until() == null ? "mended" : DurationText.ago(each.until(), now),
          each.waiting(),
          each.held(),
          each.reason() + ": " + each.detail());
    }
    table.print(root.terminal());
    if (providers.stream().anyMatch(each -> each.state().equals("unavailable"))) {
      root.terminal().line("");
      root.terminal().line("when it is mended: holdfast providers mend NAME");
    }
  }
}
