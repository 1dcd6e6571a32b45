package dev.holdfast.bench;

import dev.holdfast.postgres.bench.RawProbe.Timing;
import dev.holdfast.postgres.bench.TableCounts;
import java.util.List;

/**
 * One verified drain of the raw probe.
 *
 * @param drained the number of tickets that were to be worked
 */
record RawRun(int drained, Timing timing, Windows windows) {
  private static final int CONNECTIONS = 2;
  private static final int BATCH = 500;

  static RawRun of(Lab lab, int tickets) throws InterruptedException {
    return of(lab, tickets, tickets, CONNECTIONS, BATCH);
  }

  static RawRun of(Lab lab, int tickets, int drained, int connections, int batch)
      throws InterruptedException {
    lab.probe().fill(tickets, Lab.PAYLOAD);
    return measured(lab, tickets, drained, connections, batch);
  }

  /** Works the tickets that are there. */
  static RawRun measured(Lab lab, int tickets, int drained, int connections, int batch)
      throws InterruptedException {
    Windows windows = new Windows(DrainRun.window(drained), drained);
    Timing timing = lab.probe().drain(drained, connections, batch, windows::add);
    lab.probe()
        .counts()
        .require("the raw probe's run", new TableCounts(drained, drained, tickets - drained, 0));
    return new RawRun(drained, timing, windows);
  }

  double rate() {
    return drained / timing.seconds();
  }

  double committedRate() {
    return windows.committedRate(timing.startNanos());
  }

  List<Double> rates() {
    return windows.rates(timing.startNanos());
  }
}
