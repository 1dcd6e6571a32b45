package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TimelineEntry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The lines that the running program of a ticket prints, as events. Used by one thread. */
final class OutputLines {
  private final TicketReader reader;
  private final long ticketId;
  private final InstantSource clock;
  private final NewOutput news = new NewOutput();
  private final Map<String, String> begun = new HashMap<>();
  private long following;

  OutputLines(TicketReader reader, long ticketId, InstantSource clock) {
    this.reader = reader;
    this.ticketId = ticketId;
    this.clock = clock;
  }

  /** The lines that are new and whole; at the end of an attempt the last one too. */
  List<TimelineEntry> next() {
    List<TimelineEntry> lines = new ArrayList<>();
    reader.output(ticketId, null).ifPresent(output -> add(output, lines));
    return lines;
  }

  /** Of attempts that had ended before one began to watch, {@code logs} tells. */
  private void add(AttemptOutput output, List<TimelineEntry> lines) {
    if (!output.running() && output.leaseNo() != following) {
      return;
    }
    following = output.leaseNo();
    for (String stream : List.of(OutputChunk.STDOUT, OutputChunk.STDERR)) {
      String text = begun.getOrDefault(stream, "") + news.of(output, stream);
      int end = output.running() ? text.lastIndexOf('\n') + 1 : text.length();
      text.substring(0, end).lines().map(line -> event(stream, line)).forEach(lines::add);
      begun.put(stream, text.substring(end));
    }
  }

  private TimelineEntry event(String stream, String line) {
    Instant now = clock.instant();
    return new TimelineEntry(ticketId, now, stream, null, JsonOutput.of(Map.of("text", line)));
  }
}
