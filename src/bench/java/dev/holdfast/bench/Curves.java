package dev.holdfast.bench;

import java.util.Comparator;
import java.util.List;

/** Rates of several runs of the same thing. */
final class Curves {
  private Curves() {}

  static List<Double> rates(List<DrainRun.Outcome> runs) {
    return runs.stream().map(DrainRun.Outcome::committedRate).toList();
  }

  /** Returns the rates over time of the run in the middle. */
  static CellResult.Curve of(String label, List<DrainRun.Outcome> runs) {
    DrainRun.Outcome middle =
        runs.stream()
            .sorted(Comparator.comparingDouble(DrainRun.Outcome::committedRate))
            .toList()
            .get(runs.size() / 2);
    return new CellResult.Curve(label, middle.windows().size(), middle.rates());
  }

  /** Returns the rate at the end of a run: the mean of its last three windows. */
  static double last(List<Double> rates) {
    List<Double> three = rates.subList(Math.max(0, rates.size() - 3), rates.size());
    double seconds = three.stream().mapToDouble(rate -> 1 / rate).sum();
    return three.size() / seconds;
  }
}
