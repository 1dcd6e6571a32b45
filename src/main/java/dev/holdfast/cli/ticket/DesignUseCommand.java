package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast design use}. */
@Command(
    name = "use",
    description =
        "Let the next attempts of held tickets use the latest version of their design. They stay on"
            + " hold until you release them.",
    footer = {
      "",
      "Examples:",
      "  holdfast design use 17 18",
      "  holdfast design use $(holdfast list --state on_hold --design nightly -o name)"
    })
public final class DesignUseCommand extends TicketChange {
  @Option(names = "--version", paramLabel = "N", description = "This version instead.")
  private @Nullable Integer version;

  public DesignUseCommand(HoldfastCommand root) {
    super(root, "updated");
  }

  @Override
  void apply(TicketDesk desk, long ticketId, String actor, String text) {
    desk.useDesign(ticketId, actor, version);
  }

  @Override
  String words() {
    return "";
  }
}
