package dev.holdfast.cli.schedule;

import dev.holdfast.cli.root.GroupCommand;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.NamedChange;
import dev.holdfast.cli.root.RowsCommand;
import dev.holdfast.cli.root.UsageHelp;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleDesk;
import picocli.CommandLine;

/** {@code holdfast schedule}: put, list, show, pause, resume, run and delete. */
public final class ScheduleCommand {
  /** Changes a schedule. */
  @FunctionalInterface
  private interface Change {
    /**
     * @return the line that is printed
     */
    String apply(ScheduleDesk desk, String name, String by);
  }

  private ScheduleCommand() {}

  /** Makes the command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new GroupCommand()
        .with("put", new SchedulePutCommand(root))
        .with("list", list(root))
        .with("show", new ScheduleShowCommand(root))
        .with("pause", pause(root))
        .with("resume", resume(root))
        .with("run", new ScheduleRunCommand(root))
        .with("delete", delete(root))
        .line(
            "Make tickets at times of the clock. A running worker makes them.",
            "holdfast schedule put nightly --cron '0 3 * * 1-5' --zone Europe/Berlin --design"
                + " report",
            "holdfast schedule list");
  }

  private static CommandLine list(HoldfastCommand root) {
    return RowsCommand.<Schedule>all(root, backend -> backend.schedules().list())
        .column("NAME", Schedule::name)
        .column("WHEN", Schedule::rhythm)
        .column("MAKES", ScheduleShowCommand::made)
        .column("NEXT", ScheduleShowCommand::next)
        .column("LAST TICKET", each -> each.lastTicket() == null ? "-" : each.lastTicket())
        .line(
            "no schedules; holdfast schedule put NAME --every 1h --design D makes one",
            "List the schedules with their next time.",
            "holdfast schedule list");
  }

  private static CommandLine pause(HoldfastCommand root) {
    return UsageHelp.of(
        change(
            root,
            (desk, name, by) -> {
              desk.pause(name, by);
              return "paused " + name;
            }),
        "Make no tickets until it is resumed. Tickets that are there are left alone.",
        "holdfast schedule pause nightly");
  }

  private static CommandLine resume(HoldfastCommand root) {
    return UsageHelp.of(
        change(
            root,
            (desk, name, by) -> {
              desk.resume(name, by);
              return "resumed " + name;
            }),
        "Make tickets again. Times within the pause are not made up for.",
        "holdfast schedule resume nightly");
  }

  private static CommandLine delete(HoldfastCommand root) {
    return UsageHelp.of(
        change(
            root,
            (desk, name, by) -> {
              desk.delete(name, by);
              return "deleted " + name;
            }),
        "Delete it; its tickets stay.",
        "holdfast schedule delete nightly");
  }

  private static CommandLine change(HoldfastCommand root, Change change) {
    return NamedChange.of(
        root,
        "NAME",
        "As in: holdfast schedule list.",
        (backend, name, by) -> change.apply(backend.schedules(), name, by));
  }
}
