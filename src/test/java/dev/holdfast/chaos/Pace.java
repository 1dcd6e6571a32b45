package dev.holdfast.chaos;

import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How fast tickets were done before, while and after something went wrong.
 *
 * @param doneAt when each was done, in seconds since the epoch, in order
 */
record Pace(List<Double> doneAt) {
  private static final double STEP = 0.1;
  private static final double NINETY_PERCENT = 0.9;

  /** The mean rate between two times, per second. */
  double rate(Instant from, Instant to) {
    double start = seconds(from);
    double end = seconds(to);
    return count(start, end) / (end - start);
  }

  /** Seconds from a time to the first second in which 90 % of the rate was reached. */
  OptionalDouble recovery(Instant from, double baseline) {
    double start = seconds(from);
    double last = doneAt.isEmpty() ? start : doneAt.getLast();
    for (double at = start; at <= last; at += STEP) {
      if (count(at, at + 1) >= NINETY_PERCENT * baseline) {
        return OptionalDouble.of(at - start);
      }
    }
    return OptionalDouble.empty();
  }

  private long count(double from, double to) {
    return doneAt.stream().filter(at -> at >= from && at < to).count();
  }

  private static double seconds(Instant instant) {
    return instant.toEpochMilli() / 1000.0;
  }
}
