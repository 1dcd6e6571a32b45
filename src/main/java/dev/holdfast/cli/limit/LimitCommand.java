package dev.holdfast.cli.limit;

import dev.holdfast.cli.root.HoldfastCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code holdfast limit}: set, list, remove and weight. */
@Command(
    name = "limit",
    description =
        "Limit how many tickets of a queue or a design run at once, and start in a time, over all"
            + " workers.",
    synopsisSubcommandLabel = "(set | list | remove | weight)",
    footer = {
      "",
      "Examples:",
      "  holdfast limit set queue:mail --concurrent 5 --rate 100/1m",
      "  holdfast limit set design:sync --per-key 1",
      "  holdfast limit list"
    })
public final class LimitCommand implements Runnable {
  @Spec private CommandSpec spec;

  private LimitCommand() {}

  /** The command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new LimitCommand())
        .addSubcommand("set", new LimitSetCommand(root))
        .addSubcommand("list", new LimitListCommand(root))
        .addSubcommand("remove", new LimitRemoveCommand(root))
        .addSubcommand("weight", new LimitWeightCommand(root));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "set, list, remove or weight?");
  }
}
