package dev.holdfast.cli.limit;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.limit.Limit;
import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast limit set}. */
@Command(
    name = "set",
    description =
        "Set the limit of a queue or a design, or replace it. It holds from now on, also for what"
            + " waits; what runs is left to run.",
    footer = {
      "",
      "Examples:",
      "  holdfast limit set queue:mail --concurrent 5",
      "  holdfast limit set design:sync --per-key 1 --rate 100/1m --burst 20"
    })
final class LimitSetCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "SCOPE", description = "queue:NAME or design:NAME.")
  private String scope = "";

  @Option(names = "--concurrent", paramLabel = "N", description = "So many at once.")
  private @Nullable Integer concurrent;

  @Option(
      names = "--per-key",
      paramLabel = "N",
      description = "So many at once with the same concurrency key.")
  private @Nullable Integer perKey;

  @Option(
      names = "--rate",
      paramLabel = "N/D",
      description = "So many starts in a time, evenly: 100/1m.")
  private @Nullable String rate;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description =
          "So many of the rate at once after a pause; default: what comes in a fifth of a second,"
              + " at least 1.")
  private @Nullable Integer burst;

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print the limit as a JSON object.")
  private boolean json;

  LimitSetCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (concurrent == null && perKey == null && rate == null) {
      throw new UsageException("give --concurrent, --per-key or --rate");
    }
    NewLimit wanted = new NewLimit(scope, concurrent, perKey, rate(), burst);
    try (Backend backend = root.open()) {
      Limit limit = backend.limits().set(wanted, by.name(root));
      root.terminal()
          .line(
              json
                  ? JsonOutput.of(limit)
                  : PlainText.oneLine(limit.scope() + ": " + limit.words()));
      return ExitCode.DONE;
    }
  }

  private @Nullable Rate rate() {
    try {
      return rate == null ? null : Rate.parse(rate);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--rate: " + e.getMessage(), e);
    }
  }
}
