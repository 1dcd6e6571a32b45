package dev.holdfast.cli.admin;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.ticket.DesignUseCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code holdfast design}: put, list, show and use. */
@Command(
    name = "design",
    description = "Store and show designs: how a kind of ticket is worked.",
    synopsisSubcommandLabel = "(put | list | show | use)",
    footer = {"", "Example:", "  holdfast design put nightly --file nightly.yaml"})
public final class DesignCommand implements Runnable {
  @Spec private CommandSpec spec;

  private DesignCommand() {}

  /** The command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new DesignCommand())
        .addSubcommand("put", new DesignPutCommand(root))
        .addSubcommand("list", new DesignListCommand(root))
        .addSubcommand("show", new DesignShowCommand(root))
        .addSubcommand("use", new DesignUseCommand(root));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "put, list, show or use?");
  }
}
