package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** No-op tickets as fast as one worker can, to the moment the database shows none left. */
final class DrainCell implements Cell {
  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(200_000, 2_000);
    int rounds = lab.options().rounds(5);
    List<Double> probe = new ArrayList<>();
    List<Double> holdfast = new ArrayList<>();
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      probe.add(RawRun.of(lab, tickets).rate());
      holdfast.add(TicketRun.noOp(lab, tickets).run(lab).rate());
      lab.say(
          "drain, round %d of %d: raw probe %,.0f/s, Holdfast %,.0f/s",
          round, rounds, probe.getLast(), holdfast.getLast());
    }
    Figure figure =
        Figure.of(String.format(Locale.ROOT, "%,d no-op tickets", tickets), "tickets/s", holdfast)
            .beside(PROBE, probe)
            .judgedBy(Bar.ratio(PROBE, 0.55, 0.8), lab.options());
    return new CellResult(
        CellName.DRAIN.wireName(), CellName.DRAIN.what(), List.of(figure), List.of());
  }
}
