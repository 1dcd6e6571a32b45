package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.read.TimelineEntry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The lines that the running program of a ticket prints, as events. Used by one thread. */
final class OutputLines {
  private static final List<String> STREAMS = List.of(OutputChunk.STDOUT, OutputChunk.STDERR);

  /**
   * The number of quiet looks. The last output of an attempt is stored up to about a second after
   * its end.
   */
  private static final int QUIET_LOOKS = 3;

  private final Supplier<Optional<AttemptOutput>> newest;
  private final long ticketId;
  private final InstantSource clock;
  private final NewOutput news = new NewOutput();
  private final Map<String, String> begun = new HashMap<>();
  private boolean looked;
  private long endedBefore;
  private long following;
  private int quietLooks;

  /**
   * @param newest what the last attempt of the ticket printed
   */
  OutputLines(Supplier<Optional<AttemptOutput>> newest, long ticketId, InstantSource clock) {
    this.newest = newest;
    this.ticketId = ticketId;
    this.clock = clock;
  }

  /**
   * Returns the lines that are new and whole. Once an attempt has ended and is quiet, its last line
   * is returned, too. An attempt that had ended before the first look is left to {@code logs}.
   */
  List<TimelineEntry> next() {
    Optional<AttemptOutput> output = newest.get();
    if (!looked) {
      looked = true;
      endedBefore = output.filter(found -> !found.running()).map(AttemptOutput::leaseNo).orElse(0L);
    }
    return output.filter(found -> found.leaseNo() != endedBefore).map(this::of).orElse(List.of());
  }

  private List<TimelineEntry> of(AttemptOutput output) {
    List<TimelineEntry> lines = new ArrayList<>();
    if (output.leaseNo() != following) {
      lines.addAll(whole(true));
    }
    following = output.leaseNo();
    boolean quiet = true;
    for (String stream : STREAMS) {
      String added = news.of(output, stream);
      quiet &= added.isEmpty();
      begun.merge(stream, added, String::concat);
    }
    quietLooks = quiet && !output.running() ? quietLooks + 1 : 0;
    lines.addAll(whole(quietLooks >= QUIET_LOOKS));
    return lines;
  }

  /**
   * Takes the lines that have an end. If nothing more follows, it also takes the text after them.
   */
  private List<TimelineEntry> whole(boolean ended) {
    List<TimelineEntry> lines = new ArrayList<>();
    for (String stream : STREAMS) {
      String text = begun.getOrDefault(stream, "");
      int end = ended ? text.length() : text.lastIndexOf('\n') + 1;
      text.substring(0, end).lines().map(line -> event(stream, line)).forEach(lines::add);
      begun.put(stream, text.substring(end));
    }
    return lines;
  }

  private TimelineEntry event(String stream, String line) {
    Instant now = clock.instant();
    return new TimelineEntry(ticketId, now, stream, null, JsonOutput.of(Map.of("text", line)));
  }
}
