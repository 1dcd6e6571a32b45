package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures whether depth or age slows the drain: a million ready tickets, and a million finished
 * ones. A machine does not keep its speed for as long as it takes to fill the tables, so the small
 * table is measured before and after each.
 */
final class BacklogCell implements Cell {
  private static final String SMALL = "small table";

  private final List<DrainRun.Outcome> small = new ArrayList<>();
  private final List<DrainRun.Outcome> ready = new ArrayList<>();
  private final List<DrainRun.Outcome> finished = new ArrayList<>();
  private final List<Double> smallAroundReady = new ArrayList<>();
  private final List<Double> smallAroundFinished = new ArrayList<>();
  private final List<Double> probe = new ArrayList<>();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(200_000, 100);
    int backlog = lab.options().size(1_000_000, 400);
    int rounds = lab.options().rounds(5);
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      probe.add(RawRun.of(lab, tickets + backlog, tickets, 2, 500).committedRate());
      double before = runSmall(lab, tickets);
      ready.add(DrainRun.noOp(lab, tickets + backlog).upTo(tickets).run(lab));
      double between = runSmall(lab, tickets);
      lab.tables().clear();
      lab.tables().addFinished(backlog);
      finished.add(DrainRun.noOp(lab, tickets).runOn(lab, backlog));
      smallAroundReady.add((before + between) / 2);
      smallAroundFinished.add((between + runSmall(lab, tickets)) / 2);
      lab.round(
          "backlog",
          round,
          rounds,
          "small table %,.0f/s, ready %,.0f/s, finished %,.0f/s",
          smallAroundReady.getLast(),
          ready.getLast().committedRate(),
          finished.getLast().committedRate());
    }
    Bar bar = Bar.ratio(SMALL, 0.95, 1.0);
    return new CellResult(
        CellName.BACKLOG.wireName(),
        CellName.BACKLOG.what(),
        List.of(
            figure(String.format(Locale.ROOT, "%,d ready", backlog), ready, smallAroundReady)
                .judgedBy(bar, lab.options()),
            figure(
                    String.format(Locale.ROOT, "%,d finished", backlog),
                    finished,
                    smallAroundFinished)
                .judgedBy(bar, lab.options())),
        List.of(
            Curves.of(SMALL, small),
            Curves.of(String.format(Locale.ROOT, "%,d ready", backlog), ready),
            Curves.of(String.format(Locale.ROOT, "%,d finished", backlog), finished)));
  }

  /** Returns tickets a second. */
  private double runSmall(Lab lab, int tickets) throws InterruptedException {
    small.add(DrainRun.noOp(lab, tickets).run(lab));
    return small.getLast().committedRate();
  }

  private Figure figure(String name, List<DrainRun.Outcome> runs, List<Double> smallAround) {
    return Figure.of(name, "tickets/s", Curves.rates(runs))
        .beside(SMALL, smallAround)
        .beside(PROBE + ", same backlog ready", probe);
  }
}
