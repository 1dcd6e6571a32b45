package dev.holdfast.app;

import dev.holdfast.queue.read.EventLine;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints what happens to the sample tickets, a line each. Used by one thread. */
final class DemoScreen {
  private final PrintWriter out;
  private final Instant start;
  private final Map<Long, Integer> printed = new HashMap<>();

  /**
   * @param start the database's time of the first ticket; lines count seconds from it
   */
  DemoScreen(PrintWriter out, Instant start) {
    this.out = out;
    this.start = start;
  }

  /**
   * Prints the entries that are new.
   *
   * @param label what to call the ticket
   */
  void show(TicketRow ticket, String label, List<TimelineEntry> timeline) {
    List<TimelineEntry> entries =
        timeline.stream().filter(entry -> !EventLine.isToldByDecision(entry)).toList();
    for (TimelineEntry entry :
        entries.subList(Math.min(seen(ticket), entries.size()), entries.size())) {
      print(ticket, label, entry);
    }
    printed.put(ticket.id(), Math.max(seen(ticket), entries.size()));
  }

  private int seen(TicketRow ticket) {
    return printed.getOrDefault(ticket.id(), 0);
  }

  private void print(TicketRow ticket, String label, TimelineEntry entry) {
    Duration since = Duration.between(start, entry.at());
    out.printf(
        Locale.ROOT,
        "%6.1f s  #%-4d %-13s %s%n",
        Math.max(0, since.toMillis()) / 1000.0,
        ticket.id(),
        label,
        EventLine.of(entry));
    out.flush();
  }
}
