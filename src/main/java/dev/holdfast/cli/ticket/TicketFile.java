package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.UsageException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.Named;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The tickets of a file. It is a graph where a ticket has a name or waits for one that has a name.
 * Otherwise it may have any number of tickets, of which only the first lines are in memory at a
 * time.
 */
final class TicketFile {
  /** The most tickets that a graph may have. */
  private static final int LONGEST_GRAPH = 10_000;

  private final TicketLines lines;
  private final List<Named> first = new ArrayList<>();
  private final List<Long> lineNumbers = new ArrayList<>();

  private TicketFile(TicketLines lines) {
    this.lines = lines;
  }

  static TicketFile read(TicketLines lines) {
    TicketFile file = new TicketFile(lines);
    while (lines.hasNext() && file.first.size() < LONGEST_GRAPH) {
      file.first.add(lines.next());
      file.lineNumbers.add(lines.lineNumber());
    }
    if (lines.hasNext() && file.isGraph()) {
      throw tooLong();
    }
    return file;
  }

  private static UsageException tooLong() {
    return new UsageException(
        "--file: it has lines with names and so "
            + LONGEST_GRAPH
            + " lines at most; enqueue parts of it, whose lines may wait for ids of others");
  }

  boolean isGraph() {
    return first.stream().anyMatch(TicketFile::isOfGraph);
  }

  private static boolean isOfGraph(Named each) {
    return each.name() != null || !each.after().isEmpty();
  }

  List<Named> graph() {
    return first;
  }

  /** Returns what a ticket of the graph is called: its name, or the line that it is in. */
  String called(int place) {
    String name = first.get(place).name();
    return name == null ? "line " + lineNumbers.get(place) : name;
  }

  /** Returns all tickets, each once. */
  Iterator<NewTicket> all() {
    Iterable<Named> rest = () -> lines;
    return Stream.concat(first.stream(), StreamSupport.stream(rest.spliterator(), false))
        .map(
            each -> {
              if (isOfGraph(each)) {
                throw tooLong();
              }
              return each.ticket();
            })
        .iterator();
  }

  /** Returns the number of tickets read so far. */
  long count() {
    return lines.count();
  }
}
