package dev.holdfast.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures tickets that wait and come before the ready ones in priority: half back off, half are
 * held.
 */
final class DeferredCell implements Cell {
  private static final String SMALL = "without them";
  private static final int PRIORITY = 10;
  private static final Duration LONG = Duration.ofHours(8);

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(200_000, 100);
    int half = lab.options().size(500_000, 200);
    int rounds = lab.options().rounds(3);
    List<DrainRun.Outcome> without = new ArrayList<>();
    List<DrainRun.Outcome> with = new ArrayList<>();
    List<Double> probe = new ArrayList<>();
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      probe.add(RawRun.of(lab, tickets).committedRate());
      without.add(DrainRun.noOp(lab, tickets).run(lab));
      lab.tables().clear();
      lab.enqueue(half, Lab.ticket().withPriority(PRIORITY).withDelay(LONG));
      lab.tables().addHeld(half, PRIORITY);
      with.add(DrainRun.noOp(lab, tickets).runOn(lab, 0));
      lab.round(
          "deferred",
          round,
          rounds,
          "without %,.0f/s, with %,.0f/s",
          without.getLast().committedRate(),
          with.getLast().committedRate());
    }
    Figure figure =
        Figure.of(
                String.format(Locale.ROOT, "%,d waiting", 2 * half),
                "tickets/s",
                Curves.rates(with))
            .beside(SMALL, Curves.rates(without))
            .beside(PROBE + " without them", probe)
            .judgedBy(Bar.ratio(SMALL, 0.8, 0.95), lab.options());
    return new CellResult(
        CellName.DEFERRED.wireName(),
        CellName.DEFERRED.what(),
        List.of(figure),
        List.of(Curves.of(SMALL, without), Curves.of(figure.name(), with)));
  }
}
