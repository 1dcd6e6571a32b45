package dev.holdfast.bench;

import dev.holdfast.bench.FeatureCell.Drain;
import dev.holdfast.bench.FeatureCell.Feature;
import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import dev.holdfast.postgres.bench.BareEngine;
import dev.holdfast.queue.NewTicket;
import java.time.Duration;

/** Measures the cost to the drain of limits, keys and tickets that wait for others. */
final class FeatureCells {
  private static final Drain PLAIN = (lab, tickets) -> DrainRun.noOp(lab, tickets).run(lab);
  private static final int MOST_KEYS = 10_000;
  private static final int RATED_QUEUES = 10;
  private static final int CHAIN = 10;

  private FeatureCells() {}

  /** Measures the engine when nobody uses the features, beside one that does not look for them. */
  static Cell features() {
    return new FeatureCell(
        new Feature(
            CellName.FEATURES,
            "%,d tickets, beside an engine that knows no limits, deadlines and followers",
            bar(0.97, 0.99),
            100_000,
            100,
            9,
            (lab, tickets) -> {
              try (BareEngine bare = BareEngine.install(lab.direct())) {
                return PLAIN.run(lab, tickets);
              }
            },
            PLAIN));
  }

  static Cell keys() {
    return new FeatureCell(
        new Feature(
            CellName.KEYS,
            "%,d tickets over 10,000 concurrency keys, one at a time of each",
            bar(0.5, 0.7),
            1_000_000,
            100,
            3,
            PLAIN,
            FeatureCells::drainKeys));
  }

  /** Drains tickets with keys. If there are few tickets, there are ten of each key. */
  private static DrainRun.Outcome drainKeys(Lab lab, int tickets) throws InterruptedException {
    clear(lab);
    lab.limits().set(new NewLimit("queue:" + Lab.QUEUE, null, 1, null, null), Lab.actor());
    int keys = Math.clamp(tickets / 10, 1, MOST_KEYS);
    return DrainRun.noOp(lab, tickets)
        .enqueuing(i -> Lab.ticket().withConcurrencyKey("customer-" + i % keys))
        .runOn(lab, 0);
  }

  static Cell rates() {
    return new FeatureCell(
        new Feature(
            CellName.RATES,
            "%,d tickets beside as many of " + RATED_QUEUES + " queues that wait for their rates",
            bar(0.9, 0.97),
            200_000,
            100,
            5,
            PLAIN,
            FeatureCells::drainBesideRates));
  }

  /** Drains tickets beside rates, none of which has a token at the moment. */
  private static DrainRun.Outcome drainBesideRates(Lab lab, int tickets)
      throws InterruptedException {
    clear(lab);
    for (int i = 0; i < RATED_QUEUES; i++) {
      lab.tables().addQueue(rated(i));
      Rate rate = new Rate(100, Duration.ofMinutes(1));
      lab.limits().set(new NewLimit("queue:" + rated(i), null, null, rate, null), Lab.actor());
    }
    lab.tables().useUpRates();
    return DrainRun.noOp(lab, 2 * tickets)
        .upTo(tickets)
        .enqueuing(i -> i % 2 == 0 ? Lab.ticket() : rated(Lab.ticket(), i))
        .runOn(lab, 0);
  }

  private static NewTicket rated(NewTicket ticket, int i) {
    return ticket.withQueue(rated(i / 2 % RATED_QUEUES));
  }

  private static String rated(int i) {
    return Lab.QUEUE + "-rated-" + i;
  }

  static Cell chains() {
    return new FeatureCell(
        new Feature(
            CellName.CHAINS,
            "%,d tickets in chains of " + CHAIN,
            bar(0.5, 0.7),
            100_000,
            100,
            3,
            PLAIN,
            (lab, tickets) ->
                DrainRun.noOp(lab, tickets / CHAIN * CHAIN)
                    .filledBy((to, all) -> to.tables().addChains(all, CHAIN))
                    .run(lab)));
  }

  static Cell blocked() {
    return new FeatureCell(
        new Feature(
            CellName.BLOCKED,
            "%,d tickets beside a million that wait for others",
            bar(0.95, 1.0),
            200_000,
            100,
            5,
            PLAIN,
            FeatureCells::drainBesideBlocked));
  }

  private static DrainRun.Outcome drainBesideBlocked(Lab lab, int tickets)
      throws InterruptedException {
    int blocked = lab.options().size(1_000_000, 400);
    return DrainRun.noOp(lab, tickets + blocked)
        .upTo(tickets)
        .filledBy(
            (to, all) -> {
              to.tables().addBlocked(blocked);
              to.enqueue(tickets, Lab.ticket());
            })
        .run(lab);
  }

  private static void clear(Lab lab) {
    lab.tables().clear();
    lab.tables().forgetWorkers();
  }

  private static Bar bar(double must, double aim) {
    return Bar.ratio(FeatureCell.WITHOUT, must, aim);
  }
}
