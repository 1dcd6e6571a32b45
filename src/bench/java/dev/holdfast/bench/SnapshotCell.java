package dev.holdfast.bench;

import dev.holdfast.postgres.bench.OldSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures the drain while an old snapshot keeps the server from cleaning up after it. */
final class SnapshotCell implements Cell {
  private static final String WITHOUT = "without snapshot";

  private final List<DrainRun.Outcome> without = new ArrayList<>();
  private final List<DrainRun.Outcome> with = new ArrayList<>();
  private final List<Double> probe = new ArrayList<>();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(200_000, 2_000);
    int rounds = lab.options().rounds(3);
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      try (OldSnapshot held = OldSnapshot.open(lab.direct())) {
        probe.add(Curves.last(RawRun.of(lab, tickets).rates()));
      }
      without.add(DrainRun.noOp(lab, tickets).run(lab));
      try (OldSnapshot held = OldSnapshot.open(lab.direct())) {
        with.add(DrainRun.noOp(lab, tickets).run(lab));
      }
      lab.round(
          "snapshot",
          round,
          rounds,
          "last windows without %,.0f/s, with %,.0f/s",
          last(without.getLast()),
          last(with.getLast()));
    }
    Figure figure =
        Figure.of(
                String.format(Locale.ROOT, "last windows of %,d tickets", tickets),
                "tickets/s",
                last(with))
            .beside(WITHOUT, last(without))
            .beside(PROBE + " with snapshot, no cursor", probe)
            .judgedBy(Bar.ratio(WITHOUT, 0.85, 0.95), lab.options());
    return new CellResult(
        CellName.SNAPSHOT.wireName(),
        CellName.SNAPSHOT.what(),
        List.of(figure),
        List.of(Curves.of(WITHOUT, without), Curves.of("snapshot held open", with)));
  }

  private static double last(DrainRun.Outcome run) {
    return Curves.last(run.rates());
  }

  private static List<Double> last(List<DrainRun.Outcome> runs) {
    return runs.stream().map(SnapshotCell::last).toList();
  }
}
