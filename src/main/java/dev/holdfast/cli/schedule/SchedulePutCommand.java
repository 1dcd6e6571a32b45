package dev.holdfast.cli.schedule;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.schedule.CatchUp;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.schedule.Schedule;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast schedule put}. */
@Command(
    name = "put",
    description = "Make a schedule or replace its settings; a pause stays.",
    footer = {
      "",
      "Examples:",
      "  holdfast schedule put nightly --cron '0 3 * * 1-5' --zone Europe/Berlin --design report",
      "  holdfast schedule put sync --every 15m --design sync --overlap skip --catch-up none"
    })
final class SchedulePutCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "NAME", description = "1 to 100 letters, digits and . _ : -")
  private String name = "";

  @Option(
      names = "--cron",
      paramLabel = "EXPR",
      description =
          "Minute, hour, day of month, month, day of week; or @hourly, @daily, @weekly, @monthly,"
              + " @yearly.")
  private @Nullable String cron;

  @Option(
      names = "--every",
      paramLabel = "D",
      description = "An interval of at least 1s, from now on: 90s, 15m, 2h, 7d.")
  private @Nullable String every;

  @Option(
      names = "--zone",
      paramLabel = "Z",
      description = "Of the cron expression, as Europe/Berlin; default UTC.")
  private String zone = "UTC";

  @Option(
      names = "--catch-up",
      paramLabel = "WHICH",
      description =
          "Which of the times at which no worker ran are made up for: none, last or all; default"
              + " last.")
  private String catchUp = "last";

  @Option(
      names = "--overlap",
      paramLabel = "WHAT",
      description =
          "While its last ticket has not ended: allow another one, skip the time, or queue it;"
              + " default allow.")
  private String overlap = "allow";

  @Option(names = "--design", paramLabel = "NAME", description = "How its tickets are worked.")
  private @Nullable String design;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "Which handler works them, without a design.")
  private @Nullable String kind;

  @Option(names = "--title", paramLabel = "T", description = "Default: the schedule's name.")
  private @Nullable String title;

  @Option(
      names = "--payload",
      paramLabel = "JSON|@FILE",
      description = "The task; @- reads standard input. Default {}.")
  private String payload = "{}";

  @Option(names = "--queue", paramLabel = "Q", description = "Default: default.")
  private String queue = "default";

  @Option(names = "--priority", paramLabel = "N", description = "Higher is sooner; default 0.")
  private int priority;

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print the schedule as a JSON object.")
  private boolean json;

  SchedulePutCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    NewSchedule wanted = wanted();
    try (Backend backend = root.open()) {
      Schedule schedule = backend.schedules().put(wanted, by.name(root));
      root.terminal()
          .line(
              json
                  ? JsonOutput.of(schedule)
                  : PlainText.oneLine(
                      schedule.name() + ": next " + ScheduleShowCommand.next(schedule)));
      return ExitCode.DONE;
    }
  }

  private NewSchedule wanted() {
    if ((cron == null) == (every == null)) {
      throw new UsageException("give either --cron EXPR or --every D");
    }
    if ((design == null) == (kind == null)) {
      throw new UsageException("give either --design NAME or --kind KIND");
    }
    NewTicket ticket =
        (design == null ? NewTicket.ofKind(String.valueOf(kind)) : NewTicket.ofDesign(design))
            .withTitle(title)
            .withPayload(Words.payload(payload, root.terminal().in()))
            .withQueue(queue)
            .withPriority(priority);
    return new NewSchedule(
        name,
        cron,
        every == null ? null : Words.duration("--every", every),
        zone,
        ticket,
        Words.oneOf("--catch-up", catchUp, CatchUp.class),
        Words.oneOf("--overlap", overlap, Overlap.class));
  }
}
