package dev.holdfast.bench;

import dev.holdfast.postgres.bench.Callers;
import dev.holdfast.postgres.bench.RawEnqueue;
import dev.holdfast.postgres.bench.RawProbe.Timing;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.ticket.HoldfastException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures tickets in commits of their own by one caller and by eight, and many in one transaction.
 */
final class EnqueueCell implements Cell {
  private static final int MANY = 8;

  private final List<List<Double>> probe =
      List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
  private final List<List<Double>> holdfast =
      List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    BenchOptions options = lab.options();
    int singles = options.size(16_000, 40);
    int bulk = options.tickets(200_000, 200);
    int rounds = options.rounds(5);
    if (options.warmUp() > 0) {
      round(lab, options.warmUp() / 2, options.warmUp());
      probe.forEach(List::clear);
      holdfast.forEach(List::clear);
    }
    for (int round = 1; round <= rounds; round++) {
      round(lab, singles, bulk);
      lab.round(
          "enqueue",
          round,
          rounds,
          "bulk raw probe %,.0f/s, Holdfast %,.0f/s",
          probe.get(2).getLast(),
          holdfast.get(2).getLast());
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

  private void round(Lab lab, int wanted, int bulk) throws InterruptedException {
    int singles = wanted - wanted % MANY;
    RawEnqueue raw = new RawEnqueue(lab.direct());
    int[] callers = {1, MANY};
    for (int i = 0; i < callers.length; i++) {
      lab.probe().fill(0, Lab.PAYLOAD);
      probe.get(i).add(singles / raw.single(singles, callers[i], Lab.PAYLOAD).seconds());
      prepare(lab);
      Callers ours = new Callers(lab.direct(), callers[i]);
      Timing timing = ours.enqueue(lab.inbox(lab.direct()), Lab.ticket(), singles);
      holdfast.get(i).add(singles / timing.seconds());
      requireWaiting(lab, singles + callers[i] * Callers.FIRST);
    }
    lab.probe().fill(0, Lab.PAYLOAD);
    probe.get(2).add(bulk / raw.bulk(bulk, Lab.PAYLOAD).seconds());
    prepare(lab);
    PostgresTicketInbox inbox = lab.inbox(lab.direct());
    long start = System.nanoTime();
    inbox.enqueueAll(Collections.nCopies(bulk, Lab.ticket()).iterator());
    holdfast.get(2).add(bulk * 1e9 / (System.nanoTime() - start));
    requireWaiting(lab, bulk);
  }

  private static void prepare(Lab lab) {
    lab.tables().clear();
    lab.tables().forgetWorkers();
    lab.tables().settle();
  }

  private static void requireWaiting(Lab lab, int tickets) {
    long waiting = lab.tables().counts().waiting();
    if (waiting != tickets) {
      throw new HoldfastException(
          "the run is void: of " + tickets + " enqueued tickets, " + waiting + " wait");
    }
  }
}
