package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast reject}. */
@Command(
    name = "reject",
    description =
        "Send results that wait for review back to work; your feedback becomes guidance for the"
            + " next attempt.",
    footer = {"", "Example:", "  holdfast reject 17 --feedback 'the totals lack VAT'"})
public final class RejectCommand extends TicketChange {
  @Option(
      names = "--feedback",
      paramLabel = "TEXT|@FILE",
      required = true,
      description = "What is wrong, for the next attempt.")
  private String words = "";

  public RejectCommand(HoldfastCommand root) {
    super(root, "rejected");
  }

  @Override
  void apply(TicketDesk desk, long ticketId, String actor, String text) {
    desk.reject(ticketId, actor, text);
  }

  @Override
  String words() {
    return words;
  }
}
