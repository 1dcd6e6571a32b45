package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures a drain with a feature in use, beside the same drain without it. A machine does not keep
 * its speed, so the drain without it is measured before and after each.
 */
final class FeatureCell implements Cell {
  static final String WITHOUT = "the drain without";

  /** A drain of so many tickets. */
  @FunctionalInterface
  interface Drain {
    DrainRun.Outcome run(Lab lab, int tickets) throws InterruptedException;
  }

  /**
   * The feature that is measured.
   *
   * @param figure the figure's name, with the number of tickets as {@code %,d}
   * @param tickets the tickets of the drain with it
   * @param quick the tickets in a run that measures nothing
   */
  record Feature(
      CellName name,
      String figure,
      Bar bar,
      int tickets,
      int quick,
      int rounds,
      Drain without,
      Drain with) {}

  /** The most tickets without the feature: the drain needs no more to show its rate. */
  private static final int MOST_WITHOUT = 200_000;

  private final Feature feature;
  private final List<DrainRun.Outcome> plain = new ArrayList<>();
  private final List<Double> around = new ArrayList<>();
  private final List<DrainRun.Outcome> with = new ArrayList<>();

  FeatureCell(Feature feature) {
    this.feature = feature;
  }

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(feature.tickets(), feature.quick());
    int rounds = lab.options().rounds(feature.rounds());
    String name = feature.name().wireName();
    lab.warmUp();
    double before = without(lab, tickets);
    for (int round = 1; round <= rounds; round++) {
      lab.say("%s, round %d of %d: filling, then draining %,d ...", name, round, rounds, tickets);
      with.add(feature.with().run(lab, tickets));
      double after = without(lab, tickets);
      around.add((before + after) / 2);
      before = after;
      lab.round(
          name,
          round,
          rounds,
          "with %,.0f/s, without %,.0f/s",
          with.getLast().committedRate(),
          around.getLast());
    }
    Figure figure =
        Figure.of(
                String.format(Locale.ROOT, feature.figure(), tickets),
                "tickets/s",
                Curves.rates(with))
            .beside(WITHOUT, around)
            .judgedBy(feature.bar(), lab.options());
    return new CellResult(
        name,
        feature.name().what(),
        List.of(figure),
        List.of(Curves.of(WITHOUT, plain), Curves.of(name, with)));
  }

  /** Returns tickets a second. */
  private double without(Lab lab, int tickets) throws InterruptedException {
    plain.add(feature.without().run(lab, Math.min(tickets, MOST_WITHOUT)));
    return plain.getLast().committedRate();
  }
}
