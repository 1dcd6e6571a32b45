package dev.holdfast.web.console.view;

import java.util.ArrayList;
import java.util.List;

/**
 * Round numbers for the lines of a chart, from 0 on.
 *
 * @param top the highest of them
 */
record Levels(double top, List<Double> numbers) {
  private static final int MOST = 5;

  /**
   * Returns at most five steps of 1, 2 or 5 times a power of ten. The last one is not below the
   * highest number.
   */
  static Levels upTo(double highest) {
    double step = step(highest);
    List<Double> numbers = new ArrayList<>();
    int steps = Math.max(1, (int) Math.ceil(highest / step - 1e-9));
    for (int i = 0; i <= steps; i++) {
      numbers.add(i * step);
    }
    return new Levels(steps * step, numbers);
  }

  private static double step(double highest) {
    if (highest <= 0) {
      return 1;
    }
    double power = Math.pow(10, Math.floor(Math.log10(highest)) - 1);
    while (true) {
      for (int times : new int[] {1, 2, 5}) {
        if (highest <= MOST * times * power) {
          return times * power;
        }
      }
      power *= 10;
    }
  }
}
