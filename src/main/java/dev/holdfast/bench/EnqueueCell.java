package dev.holdfast.bench;

import dev.holdfast.postgres.PostgresTicketInbox;
import dev.holdfast.postgres.SingleConnection;
import dev.holdfast.postgres.bench.RawEnqueue;
import dev.holdfast.ticket.HoldfastException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Tickets in commits of their own by one caller and by eight, and many in one transaction. */
final class EnqueueCell implements Cell {
  private static final int MANY = 8;

  private final List<List<Double>> probe =
      List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
  private final List<List<Double>> holdfast =
      List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    BenchOptions options = lab.options();
    int singles = options.size(16_000, 400);
    int bulk = options.tickets(200_000, 2_000);
    int rounds = options.rounds(5);
    round(lab, options.size(4_000, 80), options.size(50_000, 500));
    probe.forEach(List::clear);
    holdfast.forEach(List::clear);
    for (int round = 1; round <= rounds; round++) {
      round(lab, singles, bulk);
      lab.say(
          "enqueue, round %d of %d: bulk raw probe %,.0f/s, Holdfast %,.0f/s",
          round, rounds, probe.get(2).getLast(), holdfast.get(2).getLast());
    }
    return new CellResult(
        CellName.ENQUEUE.wireName(),
        CellName.ENQUEUE.what(),
        List.of(
            figure("single commits, 1 caller", 0).judgedBy(Bar.ratio(PROBE, 0.8, 0.95), options),
            figure("single commits, 8 callers", 1).judgedBy(Bar.ratio(PROBE, 0.8, 0.95), options),
            figure("bulk", 2).judgedBy(Bar.atLeast(60_000, 85_000), options)),
        List.of());
  }

  private Figure figure(String name, int index) {
    return Figure.of(name, "tickets/s", holdfast.get(index)).beside(PROBE, probe.get(index));
  }

  private void round(Lab lab, int singles, int bulk) throws InterruptedException {
    RawEnqueue raw = new RawEnqueue(lab.direct());
    int[] callers = {1, MANY};
    for (int i = 0; i < callers.length; i++) {
      lab.probe().fill(0, Lab.PAYLOAD);
      probe.get(i).add(singles / raw.single(singles, callers[i], Lab.PAYLOAD).seconds());
      prepare(lab);
      holdfast.get(i).add(singles / single(lab, singles, callers[i]));
      requireWaiting(lab, singles);
    }
    lab.probe().fill(0, Lab.PAYLOAD);
    probe.get(2).add(bulk / raw.bulk(bulk, Lab.PAYLOAD).seconds());
    prepare(lab);
    long start = System.nanoTime();
    lab.enqueue(bulk, Lab.ticket());
    holdfast.get(2).add(bulk * 1e9 / (System.nanoTime() - start));
    requireWaiting(lab, bulk);
  }

  private static void prepare(Lab lab) {
    lab.tables().clear();
    lab.tables().forgetWorkers();
    lab.tables().settle();
  }

  private static void requireWaiting(Lab lab, int tickets) {
    long waiting = lab.tables().truth().waiting();
    if (waiting != tickets) {
      throw new HoldfastException(
          "the run is void: of " + tickets + " enqueued tickets, " + waiting + " wait");
    }
  }

  /** Returns seconds. */
  private static double single(Lab lab, int tickets, int callers) throws InterruptedException {
    List<SingleConnection> connections = new ArrayList<>();
    List<Callable<Long>> tasks = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
      for (int i = 0; i < callers; i++) {
        SingleConnection own = new SingleConnection(lab.direct());
        connections.add(own);
        tasks.add(() -> enqueue(lab.inbox(own), tickets / callers));
      }
      long start = System.nanoTime();
      long end = start;
      for (Future<Long> each : threads.invokeAll(tasks)) {
        end = Math.max(end, each.get());
      }
      return (end - start) / 1e9;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof HoldfastException ours
          ? ours
          : new IllegalStateException("a caller failed", e.getCause());
    } finally {
      connections.forEach(SingleConnection::close);
    }
  }

  private static Long enqueue(PostgresTicketInbox inbox, int tickets) {
    for (int i = 0; i < tickets; i++) {
      inbox.enqueue(Lab.ticket());
    }
    return System.nanoTime();
  }
}
