package dev.holdfast.web.console;

import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.queue.view.BusySlots;
import dev.holdfast.queue.view.RunningTicket;
import dev.holdfast.web.console.view.Sparkline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The worker processes.
 *
 * @param running what each worker runs now, by its id
 * @param busy slots taken by finished attempts of the last half hour
 * @param sandbox how the worker that serves the page confines programs of tools; may be empty
 */
public record WorkersPage(
    Page page,
    List<WorkerRow> workers,
    Map<String, List<RunningTicket>> running,
    List<BusySlots> busy,
    String sandbox) {
  private static final int MINUTES = 30;

  public WorkersPage {
    workers = List.copyOf(workers);
    running = Map.copyOf(running);
    busy = List.copyOf(busy);
  }

  /** Draws its slots that were taken, minute by minute, including what runs now. */
  public Sparkline slots(WorkerRow worker) {
    double[] slots = new double[MINUTES];
    Instant minute = page.now().truncatedTo(ChronoUnit.MINUTES);
    for (BusySlots each : busy) {
      int at = MINUTES - 1 - (int) Duration.between(each.startsAt(), minute).toMinutes();
      if (each.workerId().equals(worker.id()) && at >= 0 && at < MINUTES) {
        slots[at] += each.slots();
      }
    }
    for (RunningTicket run : runs(worker)) {
      long since = Duration.between(run.claimedAt(), minute).toMinutes();
      for (int at = (int) Math.max(0, MINUTES - 1 - since); at < MINUTES; at++) {
        slots[at]++;
      }
    }
    double most = Arrays.stream(slots).max().orElse(0);
    return Sparkline.of(
        Arrays.stream(slots).mapToObj(each -> (long) Math.ceil(100 * each)).toList(),
        String.format(
            Locale.ROOT,
            "at most %.1f of %d slots taken in a minute of the last 30",
            most,
            worker.concurrency()));
  }

  public List<RunningTicket> runs(WorkerRow worker) {
    return running.getOrDefault(worker.id(), List.of());
  }
}
