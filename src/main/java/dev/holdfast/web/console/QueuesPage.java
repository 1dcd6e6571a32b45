package dev.holdfast.web.console;

import dev.holdfast.limit.Limit;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.view.Flow;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.Sparkline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The queues with their attempts, and the limits of queues and designs. */
public record QueuesPage(Page page, List<Line> queues, List<Limit> limits) {
  private static final int MINUTES = 30;

  public QueuesPage {
    queues = List.copyOf(queues);
    limits = List.copyOf(limits);
  }

  /**
   * A queue.
   *
   * @param done attempts that succeeded, minute by minute
   * @param failed attempts that failed, minute by minute
   * @param failureRate the failures in percent of the last half hour's attempts; "" without any
   */
  public record Line(QueueHealth health, Sparkline done, Sparkline failed, String failureRate) {}

  static QueuesPage of(Page page, List<QueueHealth> queues, List<Flow> flow, List<Limit> limits) {
    List<Line> lines = new ArrayList<>();
    for (QueueHealth queue : queues) {
      lines.add(
          line(
              queue,
              flow.stream().filter(each -> each.queue().equals(queue.queue())).toList(),
              page.now()));
    }
    return new QueuesPage(page, lines, limits);
  }

  private static Line line(QueueHealth queue, List<Flow> flow, Instant now) {
    List<Long> done = new ArrayList<>(Collections.nCopies(MINUTES, 0L));
    List<Long> failed = new ArrayList<>(Collections.nCopies(MINUTES, 0L));
    long allDone = 0;
    long allFailed = 0;
    for (Flow each : flow) {
      long ago = Duration.between(each.startsAt(), now.truncatedTo(ChronoUnit.MINUTES)).toMinutes();
      if (ago >= 0 && ago < MINUTES) {
        done.set(MINUTES - 1 - (int) ago, each.succeeded());
        failed.set(MINUTES - 1 - (int) ago, each.failed());
        allDone += each.succeeded();
        allFailed += each.failed();
      }
    }
    long all = allDone + allFailed;
    return new Line(
        queue,
        Sparkline.of(done, Format.number(allDone) + " attempts succeeded in the last 30 minutes"),
        Sparkline.of(failed, Format.number(allFailed) + " attempts failed in the last 30 minutes"),
        all == 0 ? "" : String.format(Locale.ROOT, "%d%%", 100 * allFailed / all));
  }
}
