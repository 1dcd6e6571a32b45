package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures no-op tickets as fast as one worker can do them, until the database shows none left. */
final class DrainCell implements Cell {
  private final List<Peer> peers;
  private final List<Double> probe = new ArrayList<>();
  private final List<Double> holdfast = new ArrayList<>();

  /**
   * @param peers the queues that drain their own jobs in the same rounds
   */
  DrainCell(List<Peer> peers) {
    this.peers = List.copyOf(peers);
  }

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(200_000, 200);
    int rounds = lab.options().rounds(5);
    List<PeerRuns> others = PeerRuns.of(peers, tickets);
    lab.warmUp();
    for (PeerRuns each : others) {
      each.warmUp(lab);
    }
    for (int round = 1; round <= rounds; round++) {
      probe.add(RawRun.of(lab, tickets).rate());
      holdfast.add(DrainRun.noOp(lab, tickets).run(lab).rate());
      lab.round(
          "drain",
          round,
          rounds,
          "raw probe %,.0f/s, Holdfast %,.0f/s",
          probe.getLast(),
          holdfast.getLast());
      for (PeerRuns each : others) {
        each.round(lab);
      }
    }
    return new CellResult(
        CellName.DRAIN.wireName(),
        CellName.DRAIN.what(),
        figures(tickets, others, lab.options()),
        List.of());
  }

  private List<Figure> figures(int tickets, List<PeerRuns> others, BenchOptions options) {
    List<Figure> figures = new ArrayList<>();
    figures.add(
        Figure.of(String.format(Locale.ROOT, "%,d no-op tickets", tickets), "tickets/s", holdfast)
            .beside(PROBE, probe)
            .judgedBy(Bar.ratio(PROBE, 0.55, 0.8), options));
    others.forEach(each -> figures.add(each.figure(holdfast, options)));
    return figures;
  }
}
