package dev.holdfast.cli.limit;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code holdfast limit weight}. */
@Command(
    name = "weight",
    description = "Give a fairness key more than one ticket at each of its turns.",
    footer = {"", "Example:", "  holdfast limit weight acme 3"})
final class LimitWeightCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(index = "0", paramLabel = "KEY", description = "As in: enqueue --fairness-key.")
  private String key = "";

  @Parameters(
      index = "1",
      paramLabel = "N",
      description = "Tickets a turn, 1 to 1000; 1 is what all have.")
  private int weight;

  @Mixin private final ByOption by = new ByOption();

  LimitWeightCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      backend.limits().setWeight(key, weight, by.name(root));
      root.terminal().line(PlainText.oneLine(key) + ": " + weight + " at each turn");
      return ExitCode.DONE;
    }
  }
}
