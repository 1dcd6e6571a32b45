package dev.holdfast.cli.schedule;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.ticket.NotFoundException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast schedule show}. */
@Command(
    name = "show",
    description = "Show one schedule and its next ten times.",
    footer = {"", "Example:", "  holdfast schedule show nightly"})
final class ScheduleShowCommand implements Callable<Integer> {
  private static final int TIMES = 10;
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("EEE HH:mm", Locale.ENGLISH);

  private final HoldfastCommand root;

  @Parameters(paramLabel = "NAME", description = "As in: holdfast schedule list.")
  private String name = "";

  @Option(names = "--json", description = "Print a JSON object, with upcoming as an array.")
  private boolean json;

  ScheduleShowCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      Schedule schedule =
          backend
              .schedules()
              .find(name)
              .orElseThrow(
                  () ->
                      new NotFoundException(
                          "there is no schedule \""
                              + PlainText.cut(name, 60)
                              + "\"; holdfast schedule list shows them"));
      List<Instant> upcoming = schedule.upcoming(backend.reader().now(), TIMES);
      if (json) {
        Map<String, @Nullable Object> object = JsonOutput.columns(schedule);
        object.put("upcoming", upcoming);
        root.terminal().line(JsonOutput.of(object));
      } else {
        print(schedule, upcoming, root.terminal());
      }
      return ExitCode.DONE;
    }
  }

  static String made(Schedule schedule) {
    return schedule.design() == null ? "kind " + schedule.kind() : schedule.design();
  }

  static String next(Schedule schedule) {
    if (schedule.pausedAt() != null) {
      return "paused by " + schedule.pausedBy();
    }
    if (schedule.problem() != null) {
      return "never: " + schedule.problem();
    }
    Instant next = schedule.nextAt();
    return next == null ? "once a worker runs" : next.toString();
  }

  private static void print(Schedule schedule, List<Instant> upcoming, Terminal terminal) {
    terminal.line(
        PlainText.oneLine(
            "%s: %s, makes tickets of %s in queue %s"
                .formatted(schedule.name(), schedule.rhythm(), made(schedule), schedule.queue())));
    terminal.line("next:      " + PlainText.oneLine(next(schedule)));
    terminal.line(
        "last:      "
            + (schedule.lastAt() == null
                ? "none yet"
                : schedule.lastAt() + ", ticket " + schedule.lastTicket()));
    terminal.line("catch-up:  " + schedule.catchUp().name().toLowerCase(Locale.ROOT));
    terminal.line(
        "overlap:   "
            + schedule.overlap().name().toLowerCase(Locale.ROOT)
            + (schedule.skipped() == 0 ? "" : ", skipped " + schedule.skipped() + " times"));
    terminal.line("payload:   " + PlainText.oneLine(schedule.payload()));
    if (!upcoming.isEmpty()) {
      terminal.line("upcoming:");
      upcoming.forEach(time -> terminal.line("  " + upcoming(time, schedule.zone())));
    }
  }

  /**
   * Returns the time as all times are shown. Where the schedule has another time zone, it adds the
   * local time there.
   */
  private static String upcoming(Instant time, String zone) {
    return zone.equals("UTC")
        ? time.toString()
        : time + ", " + LOCAL.format(time.atZone(ZoneId.of(zone))) + " in " + zone;
  }
}
