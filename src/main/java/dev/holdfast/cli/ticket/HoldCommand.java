package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast hold}. */
@Command(
    name = "hold",
    description = "Park ready or running tickets for a person; a running attempt is stopped.",
    footer = {"", "Example:", "  holdfast hold 17 18 --reason 'waiting for the new schema'"})
public final class HoldCommand extends TicketChange {
  @Option(
      names = "--reason",
      paramLabel = "TEXT|@FILE",
      required = true,
      description = "Why; whoever looks at them next reads it.")
  private String words = "";

  public HoldCommand(HoldfastCommand root) {
    super(root, "held");
  }

  @Override
  void apply(TicketDesk desk, long ticketId, String actor, String text) {
    desk.hold(ticketId, actor, text);
  }

  @Override
  String words() {
    return words;
  }
}
