package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One figure over all rounds.
 *
 * @param rounds the values in the order in which they were taken
 */
public record Series(double median, double min, double max, List<Double> rounds) {
  public Series {
    rounds = List.copyOf(rounds);
  }

  /**
   * @param rounds at least one value
   */
  public static Series of(List<Double> rounds) {
    return new Series(
        percentile(rounds, 0.5), Collections.min(rounds), Collections.max(rounds), rounds);
  }

  /** Divides round by round, which removes the drift of a shared machine. */
  Series over(Series other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      ratios.add(rounds.get(i) / other.rounds.get(i));
    }
    return of(ratios);
  }

  /** Returns a quantile; the mean of the two middle values if it falls between them. */
  static double percentile(List<Double> values, double quantile) {
    List<Double> sorted = values.stream().sorted().toList();
    double position = quantile * (sorted.size() - 1);
    int below = (int) position;
    int above = Math.min(below + 1, sorted.size() - 1);
    double weight = position - below;
    return sorted.get(below) * (1 - weight) + sorted.get(above) * weight;
  }
}
