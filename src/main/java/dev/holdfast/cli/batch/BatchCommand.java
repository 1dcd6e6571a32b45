package dev.holdfast.cli.batch;

import dev.holdfast.batch.BatchDesk;
import dev.holdfast.cli.root.HoldfastCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code holdfast batch}: show, list, hold and cancel. */
@Command(
    name = "batch",
    description = "Tickets that came together, as with enqueue --file: how far they are.",
    synopsisSubcommandLabel = "(show | list | hold | cancel)",
    footer = {
      "",
      "Examples:",
      "  holdfast batch show 7 -w",
      "  holdfast batch cancel 7 --reason 'the wrong file'",
      "",
      "holdfast release --batch 7 sends its held tickets back to work."
    })
public final class BatchCommand implements Runnable {
  @Spec private CommandSpec spec;

  private BatchCommand() {}

  /** The command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new BatchCommand())
        .addSubcommand("show", new BatchShowCommand(root))
        .addSubcommand("list", new BatchListCommand(root))
        .addSubcommand(
            "hold",
            BatchChange.of(
                root, "held", "Put its tickets on hold that wait or run.", BatchDesk::hold))
        .addSubcommand(
            "cancel",
            BatchChange.of(
                root,
                "cancelled",
                "Cancel its tickets that are not done. Tickets that wait for the batch go on hold.",
                BatchDesk::cancel));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "show, list, hold or cancel?");
  }
}
