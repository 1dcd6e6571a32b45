package dev.holdfast.cli.ticket;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.UsageHelp;
import dev.holdfast.queue.TicketDesk;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * {@code holdfast hold}, {@code cancel}, {@code approve}, {@code reject} and {@code design use}.
 */
public final class TicketChanges {
  private TicketChanges() {}

  /** {@code holdfast hold}. */
  public static CommandLine hold(HoldfastCommand root) {
    return UsageHelp.of(
        TicketChange.withText(
            root,
            "held",
            "--reason",
            "Why; whoever looks at them next reads it.",
            TicketDesk::hold),
        "Park ready or running tickets for a person; a running attempt is stopped.",
        "holdfast hold 17 18 --reason 'waiting for the new schema'");
  }

  /** {@code holdfast cancel}. */
  public static CommandLine cancel(HoldfastCommand root) {
    return UsageHelp.of(
        TicketChange.withText(
            root,
            "cancelled",
            "--reason",
            "Why; it is kept in the ticket's activity.",
            TicketDesk::cancel),
        "End tickets for good; a running attempt is stopped. Nothing else ever cancels a ticket.",
        "holdfast cancel 17 --reason 'the customer withdrew'");
  }

  /** {@code holdfast approve}. */
  public static CommandLine approve(HoldfastCommand root) {
    return UsageHelp.of(
        TicketChange.of(root, "approved", (desk, id, by, text) -> desk.approve(id, by)),
        "Accept results that wait for review: the tickets are done.",
        "holdfast approve 17 18 19");
  }

  /** {@code holdfast reject}. */
  public static CommandLine reject(HoldfastCommand root) {
    return UsageHelp.of(
        TicketChange.withText(
            root,
            "rejected",
            "--feedback",
            "What is wrong, for the next attempt.",
            TicketDesk::reject),
        "Send results that wait for review back to work; your feedback becomes guidance for the"
            + " next attempt.",
        "holdfast reject 17 --feedback 'the totals lack VAT'");
  }

  /** {@code holdfast design use}. */
  public static CommandLine useDesign(HoldfastCommand root) {
    VersionOption chosen = new VersionOption();
    CommandLine line =
        TicketChange.of(
            root, "updated", (desk, id, by, text) -> desk.useDesign(id, by, chosen.version));
    line.addMixin("version", chosen);
    return UsageHelp.of(
        line,
        "Let the next attempts of held tickets use the latest version of their design. They stay on"
            + " hold until you release them.",
        "holdfast design use 17 18",
        "holdfast design use $(holdfast list --state on_hold --design nightly --limit 10000 -o"
            + " name)");
  }

  private static final class VersionOption {
    @Option(names = "--version", paramLabel = "N", description = "This version instead.")
    private @Nullable Integer version;
  }
}
