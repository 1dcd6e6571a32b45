package dev.holdfast.cli.admin;

import dev.holdfast.cli.root.GroupCommand;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.RowsCommand;
import dev.holdfast.cli.ticket.TicketChanges;
import dev.holdfast.ticket.Design;
import picocli.CommandLine;

/** {@code holdfast design}: put, list, show and use. */
public final class DesignCommand {
  private DesignCommand() {}

  /** Makes the command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new GroupCommand()
        .with("put", new DesignPutCommand(root))
        .with("list", list(root))
        .with("show", new DesignShowCommand(root))
        .with("use", TicketChanges.useDesign(root))
        .line(
            "Store and show designs: how a kind of ticket is worked.",
            "holdfast design put nightly --file nightly.yaml");
  }

  private static CommandLine list(HoldfastCommand root) {
    return RowsCommand.<Design>all(root, backend -> backend.designs().list())
        .column("NAME", Design::name)
        .column("VERSION", Design::version)
        .column("KIND", Design::kind)
        .line(
            "no designs; holdfast design put NAME --file FILE makes one",
            "List the designs with their latest version.",
            "holdfast design list");
  }
}
