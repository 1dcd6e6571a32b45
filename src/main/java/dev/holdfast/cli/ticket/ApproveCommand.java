package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import picocli.CommandLine.Command;

/** {@code holdfast approve}. */
@Command(
    name = "approve",
    description = "Accept results that wait for review: the tickets are done.",
    footer = {"", "Example:", "  holdfast approve 17 18 19"})
public final class ApproveCommand extends TicketChange {
  public ApproveCommand(HoldfastCommand root) {
    super(root, "approved");
  }

  @Override
  void apply(TicketDesk desk, long ticketId, String actor, String words) {
    desk.approve(ticketId, actor);
  }

  @Override
  String words() {
    return "";
  }
}
