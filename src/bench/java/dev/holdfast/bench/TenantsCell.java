package dev.holdfast.bench;

import dev.holdfast.postgres.SingleConnection;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.WorkerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures 999 tenants whose tickets come one by one, and a thousandth whose backlog has 99 of 100
 * tickets and keeps every slot busy. The others ask for 70 % of what the slots can do. The time
 * runs from the return of a commit to the handler's first line.
 */
final class TenantsCell implements Cell {
  private static final int SLOTS = 20;
  private static final Duration JOB = Duration.ofMillis(50);
  private static final double LOAD = 0.7;
  private static final int OTHERS = 999;
  private static final int PATIENCE_SECONDS = 60;

  private final List<Double> p50 = new ArrayList<>();
  private final List<Double> p99 = new ArrayList<>();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int samples = lab.options().tickets(5_000, 5);
    int rounds = lab.options().rounds(3);
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      run(lab, samples);
      lab.round("tenants", round, rounds, "p50 %.1f ms, p99 %.1f ms", p50.getLast(), p99.getLast());
    }
    return new CellResult(
        CellName.TENANTS.wireName(),
        CellName.TENANTS.what(),
        List.of(
            Figure.of(
                    "p99 of " + OTHERS + " tenants beside a flood of one, at 70 % load", "ms", p99)
                .judgedBy(Bar.atMost(50, 20), lab.options()),
            Figure.of("the same, p50", "ms", p50)),
        List.of());
  }

  private void run(Lab lab, int samples) throws InterruptedException {
    lab.tables().clear();
    lab.tables().forgetWorkers();
    lab.enqueue(99 * samples, ticket("flood"));
    lab.tables().settle();
    Map<Long, Long> started = new ConcurrentHashMap<>();
    CountDownLatch missing = new CountDownLatch(samples);
    List<Long> ids = new ArrayList<>();
    List<Long> enqueued = new ArrayList<>();
    try (BenchWorker worker =
            BenchWorker.start(
                lab,
                WorkerSettings.defaults().withConcurrency(SLOTS),
                RetrySettings.defaults(),
                context -> {
                  long now = System.nanoTime();
                  if (!"flood".equals(context.claimed().ticket().title())) {
                    started.put(context.claimed().id(), now);
                    missing.countDown();
                  }
                  Sleeper.REAL.sleep(someTime());
                  return HandlerResult.done(null);
                },
                event -> {});
        SingleConnection own = new SingleConnection(lab.direct())) {
      PostgresTicketInbox inbox = lab.inbox(own);
      long gapNanos = (long) (JOB.toNanos() / (SLOTS * LOAD));
      long next = System.nanoTime();
      for (int i = 0; i < samples; i++) {
        LockSupport.parkNanos(next - System.nanoTime());
        next += gapNanos;
        String tenant = "tenant-" + ThreadLocalRandom.current().nextInt(OTHERS);
        ids.add(inbox.enqueue(ticket(tenant)));
        enqueued.add(System.nanoTime());
      }
      if (!missing.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new HoldfastException(missing.getCount() + " tickets of small tenants never started");
      }
    }
    List<Double> waits = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      waits.add((started.getOrDefault(ids.get(i), 0L) - enqueued.get(i)) / 1e6);
    }
    p50.add(Series.percentile(waits, 0.5));
    p99.add(Series.percentile(waits, 0.99));
  }

  /**
   * Returns a time from half to one and a half of the mean. Jobs of one length that begin together
   * end together, and then no slot is free until the next time: a tenant waits for the job.
   */
  private static Duration someTime() {
    long mean = JOB.toNanos();
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(mean / 2, mean * 3 / 2));
  }

  private static NewTicket ticket(String tenant) {
    return Lab.ticket().withFairnessKey(tenant).withTitle(tenant.equals("flood") ? tenant : null);
  }
}
