package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast cancel}. */
@Command(
    name = "cancel",
    description =
        "End tickets for good; a running attempt is stopped. Nothing else ever cancels a ticket.",
    footer = {"", "Example:", "  holdfast cancel 17 --reason 'the customer withdrew'"})
public final class CancelCommand extends TicketChange {
  @Option(
      names = "--reason",
      paramLabel = "TEXT|@FILE",
      required = true,
      description = "Why; it is kept in the ticket's activity.")
  private String words = "";

  public CancelCommand(HoldfastCommand root) {
    super(root, "cancelled");
  }

  @Override
  void apply(TicketDesk desk, long ticketId, String actor, String text) {
    desk.cancel(ticketId, actor, text);
  }

  @Override
  String words() {
    return words;
  }
}
