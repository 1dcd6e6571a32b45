package dev.holdfast.bench;

import dev.holdfast.postgres.SingleConnection;
import dev.holdfast.postgres.bench.RawLatency;
import dev.holdfast.postgres.bench.RawLatency.Sample;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.WorkerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures one ticket at a time into an idle worker: from the return of the commit on another
 * connection to the handler's first line. Both are in one process, so that one clock times them.
 */
final class LatencyCell implements Cell {
  private static final long SHORTEST_GAP_NANOS = 10_000_000;
  private static final long LONGEST_GAP_NANOS = 30_000_000;
  private static final int PATIENCE_SECONDS = 30;

  private final Percentiles holdfast = new Percentiles();
  private final Percentiles probe = new Percentiles();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int samples = lab.options().tickets(500, 5);
    int rounds = lab.options().rounds(5);
    lab.warmUp();
    lab.tables().clear();
    lab.probe().fill(0, Lab.PAYLOAD);
    lab.pause();
    lab.resume();
    for (int round = 1; round <= rounds; round++) {
      probe.add(probeSamples(lab, samples));
      holdfast.add(holdfastSamples(lab, samples));
      lab.round(
          "latency",
          round,
          rounds,
          "p50 raw probe %.2f ms, Holdfast %.2f ms",
          probe.p50.getLast(),
          holdfast.p50.getLast());
    }
    return new CellResult(
        CellName.LATENCY.wireName(), CellName.LATENCY.what(), figures(lab.options()), List.of());
  }

  private List<Figure> figures(BenchOptions options) {
    String unit = "ms";
    return List.of(
        Figure.of("p50 from commit to handler", unit, holdfast.p50)
            .beside(PROBE, probe.p50)
            // The limits are 1.5 and 0.9 ms if the probe has 1.7.
            .judgedBy(Bar.ratioAtMost(PROBE, 0.88, 0.53), options),
        Figure.of("p95 from commit to handler", unit, holdfast.p95).beside(PROBE, probe.p95),
        Figure.of("p99 from commit to handler", unit, holdfast.p99)
            .beside(PROBE, probe.p99)
            // The limits are 5 and 2.6 ms if the probe has 3.2.
            .judgedBy(Bar.ratioAtMost(PROBE, 1.56, 0.81), options),
        Figure.of("p50 from call to handler", unit, holdfast.fromCall)
            .beside(PROBE, probe.fromCall));
  }

  private static List<Sample> probeSamples(Lab lab, int count) throws InterruptedException {
    List<Sample> samples = new ArrayList<>();
    try (RawLatency raw = RawLatency.open(lab.direct())) {
      for (int i = 0; i < count; i++) {
        samples.add(raw.sample(Lab.PAYLOAD));
        rest();
      }
    }
    return samples;
  }

  private static List<Sample> holdfastSamples(Lab lab, int count) throws InterruptedException {
    BlockingQueue<Long> started = new LinkedBlockingQueue<>();
    BlockingQueue<Long> finished = new LinkedBlockingQueue<>();
    List<Sample> samples = new ArrayList<>();
    try (BenchWorker worker =
            BenchWorker.start(
                lab,
                WorkerSettings.defaults(),
                RetrySettings.defaults(),
                context -> {
                  started.add(System.nanoTime());
                  return HandlerResult.done(null);
                },
                event -> {
                  if (event instanceof TicketEvent.Succeeded) {
                    finished.add(event.ticketId());
                  }
                });
        SingleConnection own = new SingleConnection(lab.direct())) {
      PostgresTicketInbox inbox = lab.inbox(own);
      for (int i = 0; i < count; i++) {
        rest();
        long called = System.nanoTime();
        inbox.enqueue(Lab.ticket());
        long enqueued = System.nanoTime();
        samples.add(new Sample(called, enqueued, next(started)));
        next(finished);
      }
    }
    return samples;
  }

  private static long next(BlockingQueue<Long> queue) throws InterruptedException {
    Long value = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (value == null) {
      throw new HoldfastException(
          "a ticket was not worked in " + PATIENCE_SECONDS + " s; see the worker's log");
    }
    return value;
  }

  /** Rests long enough for an idle system, and never in step with anything. */
  private static void rest() {
    LockSupport.parkNanos(
        ThreadLocalRandom.current().nextLong(SHORTEST_GAP_NANOS, LONGEST_GAP_NANOS));
  }

  /** The percentiles, one value per round. */
  private static final class Percentiles {
    final List<Double> p50 = new ArrayList<>();
    final List<Double> p95 = new ArrayList<>();
    final List<Double> p99 = new ArrayList<>();
    final List<Double> fromCall = new ArrayList<>();

    void add(List<Sample> samples) {
      List<Double> pickups =
          samples.stream().map(each -> (each.pickedUp() - each.enqueued()) / 1e6).toList();
      p50.add(Series.percentile(pickups, 0.5));
      p95.add(Series.percentile(pickups, 0.95));
      p99.add(Series.percentile(pickups, 0.99));
      fromCall.add(
          Series.percentile(
              samples.stream().map(each -> (each.pickedUp() - each.called()) / 1e6).toList(), 0.5));
    }
  }
}
