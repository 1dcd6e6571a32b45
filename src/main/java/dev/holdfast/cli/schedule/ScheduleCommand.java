package dev.holdfast.cli.schedule;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.schedule.ScheduleDesk;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code holdfast schedule}: put, list, show, pause, resume, run and delete. */
@Command(
    name = "schedule",
    description = "Make tickets at times of the clock. A running worker makes them.",
    synopsisSubcommandLabel = "(put | list | show | pause | resume | run | delete)",
    footer = {
      "",
      "Examples:",
      "  holdfast schedule put nightly --cron '0 3 * * 1-5' --zone Europe/Berlin --design report",
      "  holdfast schedule list"
    })
public final class ScheduleCommand implements Runnable {
  @Spec private CommandSpec spec;

  private ScheduleCommand() {}

  /** The command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new ScheduleCommand())
        .addSubcommand("put", new SchedulePutCommand(root))
        .addSubcommand("list", new ScheduleListCommand(root))
        .addSubcommand("show", new ScheduleShowCommand(root))
        .addSubcommand(
            "pause",
            ScheduleChange.of(
                root,
                "Make no tickets until it is resumed. Tickets that are there are left alone.",
                (desk, name, by) -> {
                  desk.pause(name, by);
                  return "paused " + name;
                }))
        .addSubcommand(
            "resume",
            ScheduleChange.of(
                root,
                "Make tickets again. Times within the pause are not made up for.",
                (desk, name, by) -> {
                  desk.resume(name, by);
                  return "resumed " + name;
                }))
        .addSubcommand(
            "run",
            ScheduleChange.of(
                root,
                "Make one ticket now, whatever its times, its pause and its overlap say; print its"
                    + " id.",
                (desk, name, by) -> Long.toString(desk.run(name, by))))
        .addSubcommand(
            "delete",
            ScheduleChange.of(
                root,
                "Delete it; its tickets stay.",
                (ScheduleDesk desk, String name, String by) -> {
                  desk.delete(name, by);
                  return "deleted " + name;
                }));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "put, list, show, pause, resume, run or delete?");
  }
}
