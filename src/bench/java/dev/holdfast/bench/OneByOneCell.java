package dev.holdfast.bench;

import dev.holdfast.worker.WorkerSettings;
import java.util.ArrayList;
import java.util.List;

/** Measures a trickle of work: each ticket is claimed on its own. */
final class OneByOneCell implements Cell {
  private static final int CONNECTIONS = 16;

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(20_000, 40);
    int rounds = lab.options().rounds(5);
    int connections = lab.options().size(CONNECTIONS, 4);
    List<Double> probe = new ArrayList<>();
    List<Double> holdfast = new ArrayList<>();
    WorkerSettings settings =
        WorkerSettings.defaults()
            .withPollers(connections)
            .withConcurrency(connections)
            .withClaimBatch(1);
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      probe.add(RawRun.of(lab, tickets, tickets, connections, 1).rate());
      holdfast.add(DrainRun.noOp(lab, tickets).with(settings).run(lab).rate());
      lab.round(
          "one-by-one",
          round,
          rounds,
          "raw probe %,.0f/s, Holdfast %,.0f/s",
          probe.getLast(),
          holdfast.getLast());
    }
    Figure figure =
        Figure.of(connections + " connections, claims of one", "tickets/s", holdfast)
            .beside(PROBE, probe)
            .judgedBy(Bar.ratio(PROBE, 0.8, 1.0), lab.options());
    return new CellResult(
        CellName.ONE_BY_ONE.wireName(), CellName.ONE_BY_ONE.what(), List.of(figure), List.of());
  }
}
