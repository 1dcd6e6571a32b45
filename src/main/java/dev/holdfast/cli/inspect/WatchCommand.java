package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Keyboard;
import dev.holdfast.cli.output.LostDatabase;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.read.EventLine;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast watch}. */
@Command(
    name = "watch",
    description =
        "Print what happens to tickets as it happens, until Ctrl-C. With an ID, what happened"
            + " before comes first, and what its program prints is shown too; on a terminal a wait"
            + " of the ticket is counted down, and Escape ends it.",
    footer = {
      "",
      "Examples:",
      "  holdfast watch",
      "  holdfast watch 17",
      "  holdfast watch --json | jq -c 'select(.event == \"failed\")'"
    })
public final class WatchCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", arity = "0..1", description = "One ticket; without it, all.")
  private @Nullable String id;

  @Option(names = "--json", description = "Print each event as a JSON object on a line.")
  private boolean json;

  private final LostDatabase lost;

  /** The output of the one ticket that is watched; null for all. */
  private @Nullable OutputLines output;

  public WatchCommand(HoldfastCommand root) {
    this.root = root;
    this.lost = new LostDatabase(root.terminal());
  }

  @Override
  public Integer call() throws InterruptedException {
    try (Backend backend = root.open()) {
      if (id == null) {
        follow(backend.feed(null));
      } else {
        watch(backend, Words.id(id));
      }
      return ExitCode.DONE;
    }
  }

  private void watch(Backend backend, long number) throws InterruptedException {
    TicketFeed feed = backend.feed(number);
    output =
        new OutputLines(
            () -> backend.reader().output(number, null), number, root.terminal().clock());
    TicketRow ticket = ShowCommand.existing(backend.reader(), number);
    before(backend.reader(), ticket.id()).forEach(this::print);
    Optional<Keyboard> keyboard = json ? Optional.empty() : root.terminal().keyboard().open();
    if (keyboard.isPresent()) {
      countDown(
          feed, new Countdown(root.terminal(), keyboard.get(), backend, number, root.person()));
    } else {
      follow(feed);
    }
  }

  private void follow(TicketFeed feed) throws InterruptedException {
    // Asking whether somebody listens also flushes.
    while (!root.terminal().isDeaf()) {
      next(feed).forEach(this::print);
      Thread.sleep(POLL);
    }
  }

  /** Watches for a person at a terminal, whose Escape ends what the ticket waits for (D31). */
  private void countDown(TicketFeed feed, Countdown line) throws InterruptedException {
    try (line) {
      while (!root.terminal().isDeaf()) {
        List<TimelineEntry> events = next(feed);
        if (!events.isEmpty()) {
          line.clear();
          events.forEach(this::print);
        }
        showOrWait(line);
      }
    }
  }

  private void showOrWait(Countdown line) throws InterruptedException {
    try {
      line.show(POLL);
    } catch (DatabaseUnavailableException e) {
      Thread.sleep(POLL);
    }
  }

  private static List<TimelineEntry> before(TicketReader reader, long number) {
    return Stream.concat(reader.timeline(number).stream(), reader.sessionEvents(number).stream())
        .sorted(Comparator.comparing(TimelineEntry::at))
        .toList();
  }

  /**
   * Returns what is new. If the database is restarted, this waits for it: the feed goes on where it
   * stopped.
   */
  private List<TimelineEntry> next(TicketFeed feed) {
    try {
      List<TimelineEntry> events = new ArrayList<>(output == null ? List.of() : output.next());
      events.addAll(feed.next());
      lost.found();
      return events;
    } catch (DatabaseUnavailableException e) {
      lost.tell(e);
      return List.of();
    }
  }

  private void print(TimelineEntry event) {
    // Pausing a queue concerns no ticket.
    boolean ofTicket = event.ticketId() > 0;
    if (json) {
      Map<String, @Nullable Object> columns = JsonOutput.columns(event);
      columns.put("ticket_id", ofTicket ? (Long) event.ticketId() : null);
      root.terminal().line(JsonOutput.of(columns));
      return;
    }
    if (EventLine.isToldByDecision(event)) {
      return;
    }
    String ticket = ofTicket ? " #" + event.ticketId() + " " : " ";
    String time = CLOCK.format(event.at().atZone(ZoneId.systemDefault()));
    String words = SessionWords.of(event).orElseGet(() -> EventLine.of(event));
    root.terminal().line(time + ticket + PlainText.oneLine(words));
  }
}
