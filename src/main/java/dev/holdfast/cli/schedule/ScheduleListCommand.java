package dev.holdfast.cli.schedule;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.schedule.Schedule;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast schedule list}. */
@Command(
    name = "list",
    description = "List the schedules with their next time.",
    footer = {"", "Example:", "  holdfast schedule list"})
final class ScheduleListCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(names = "--json", description = "Print a JSON array of schedules.")
  private boolean json;

  ScheduleListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      List<Schedule> schedules = backend.schedules().list();
      if (json) {
        root.terminal().line(JsonOutput.of(schedules));
      } else if (schedules.isEmpty()) {
        root.terminal()
            .progress("no schedules; holdfast schedule put NAME --every 1h --design D makes one");
      } else {
        TextTable table = new TextTable("NAME", "WHEN", "MAKES", "NEXT", "LAST TICKET");
        for (Schedule each : schedules) {
          table.row(each.name(), each.rhythm(), made(each), next(each), orDash(each.lastTicket()));
        }
        table.print(root.terminal());
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

  private static String orDash(@Nullable Long id) {
    return id == null ? "-" : id.toString();
  }
}
