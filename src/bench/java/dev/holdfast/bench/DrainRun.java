package dev.holdfast.bench;

import dev.holdfast.postgres.bench.RawProbe.Timing;
import dev.holdfast.postgres.bench.TableCounts;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * A drain by the real worker: tickets wait in a paused queue, the worker is up and idle, and the
 * time runs from the queue's resumption.
 *
 * @param tickets the number of tickets that are enqueued
 * @param drained how many of them are to be worked
 * @param executions the executions of each ticket until it succeeds
 * @param fill enqueues them
 */
record DrainRun(
    int tickets,
    int drained,
    int executions,
    TicketHandler handler,
    RetrySettings retry,
    WorkerSettings settings,
    Fill fill) {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long LOOK_EVERY_NANOS = 500_000;
  private static final int WINDOW = 10_000;

  /** Enqueues so many tickets. */
  @FunctionalInterface
  interface Fill {
    void fill(Lab lab, int tickets);
  }

  /** The result of a run. */
  record Outcome(int drained, Timing timing, Windows windows) {
    /** Returns the rate up to the moment when the database showed nothing pending or running. */
    double rate() {
      return drained / timing.seconds();
    }

    /**
     * Returns the rate up to the commit of the last full window; it can be compared if a run was
     * cut short.
     */
    double committedRate() {
      return windows.committedRate(timing.startNanos());
    }

    List<Double> rates() {
      return windows.rates(timing.startNanos());
    }
  }

  static DrainRun noOp(Lab lab, int tickets) {
    return new DrainRun(
        tickets,
        tickets,
        1,
        context -> HandlerResult.done(null),
        RetrySettings.defaults(),
        WorkerSettings.defaults().withConcurrency(lab.options().concurrency()),
        (to, count) -> to.enqueue(count, Lab.ticket()));
  }

  /** Returns a run that works only so many of the tickets. */
  DrainRun upTo(int newDrained) {
    return new DrainRun(tickets, newDrained, executions, handler, retry, settings, fill);
  }

  DrainRun with(WorkerSettings newSettings) {
    return new DrainRun(tickets, drained, executions, handler, retry, newSettings, fill);
  }

  /** Returns a run that enqueues these tickets instead, by their number from 0. */
  DrainRun enqueuing(IntFunction<NewTicket> newLike) {
    return filledBy((lab, count) -> lab.enqueue(count, newLike));
  }

  DrainRun filledBy(Fill newFill) {
    return new DrainRun(tickets, drained, executions, handler, retry, settings, newFill);
  }

  /** Returns the size of a window: 10,000 tickets, or a tenth of a small run. */
  static int window(int drained) {
    return Math.max(1, Math.min(WINDOW, drained / 10));
  }

  /** Fills empty tables and runs. */
  Outcome run(Lab lab) throws InterruptedException {
    lab.tables().clear();
    lab.tables().forgetWorkers();
    return runOn(lab, 0);
  }

  /**
   * Runs on the tickets that are there.
   *
   * @param finishedBefore the number of tickets that were put there as finished, with their
   *     attempts
   */
  Outcome runOn(Lab lab, int finishedBefore) throws InterruptedException {
    lab.pause();
    fill.fill(lab, tickets);
    lab.tables().settle();
    Windows windows = new Windows(window(drained), drained);
    Timing timing;
    try (BenchWorker worker = BenchWorker.start(lab, settings, retry, handler, windows)) {
      long start = System.nanoTime();
      lab.resume();
      windows.awaitAll(PATIENCE);
      timing = new Timing(start, drained < tickets ? System.nanoTime() : awaitRest(lab));
    }
    if (drained == tickets) {
      int finished = finishedBefore + tickets + BenchWorker.HELLOS;
      int attempts = finished + tickets * (executions - 1);
      lab.tables().counts().require("the worker's run", new TableCounts(finished, attempts, 0, 0));
    } else {
      requirePart(lab.tables().counts(), finishedBefore);
    }
    return new Outcome(drained, timing, windows);
  }

  /** Returns the moment since which nothing runs any more, by {@link System#nanoTime}. */
  static long awaitRest(Lab lab) {
    while (!lab.tables().atRest()) {
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
    return System.nanoTime();
  }

  /**
   * Checks a worker that was stopped before the end: it may have done any number of tickets, but
   * the counts must fit.
   */
  private void requirePart(TableCounts found, int finishedBefore) {
    long finished = found.finished() - finishedBefore - BenchWorker.HELLOS;
    boolean fits =
        finished >= drained
            && finished + found.waiting() == tickets
            // A worker that stops gives back what it has just claimed.
            && found.attempts() >= found.finished()
            && found.leases() == 0;
    if (!fits) {
      throw new HoldfastException(
          String.format(
              Locale.ROOT,
              "the worker's run is void: of %d tickets, %d of which were to be worked, the tables"
                  + " say %s",
              tickets,
              drained,
              found));
    }
  }
}
