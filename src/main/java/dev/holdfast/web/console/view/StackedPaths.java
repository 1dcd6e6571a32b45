package dev.holdfast.web.console.view;

import java.util.List;

/** Draws series on top of one another; each call stands on what was drawn before. */
final class StackedPaths {
  private final int spans;
  private final double top;
  private final double[] base;

  /**
   * @param top the number at the upper edge
   */
  StackedPaths(int spans, double top) {
    this.spans = spans;
    this.top = top;
    this.base = new double[spans];
  }

  int x(double at) {
    return (int) Math.round(Chart.LEFT + (Chart.RIGHT - Chart.LEFT) * at / spans);
  }

  int y(double number) {
    return (int) Math.round(Chart.BOTTOM - (Chart.BOTTOM - Chart.TOP) * number / top);
  }

  /** Draws bars. A number that is not 0 is visible. */
  String bars(List<Double> numbers) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < spans; i++) {
      double number = numbers.get(i);
      if (number > 0) {
        int foot = y(base[i]);
        int head = Math.min(foot - 1, y(base[i] + number));
        int left = x(i);
        int width = Math.max(1, x(i + 1.0) - left - 1);
        path.append('M').append(left).append(' ').append(foot).append('V').append(head);
        path.append('h').append(width).append('V').append(foot).append('z');
        base[i] += number;
      }
    }
    return path.toString();
  }

  String area(List<Double> numbers) {
    if (numbers.stream().noneMatch(number -> number > 0)) {
      return "";
    }
    StringBuilder path = new StringBuilder();
    StringBuilder back = new StringBuilder();
    for (int i = 0; i < spans; i++) {
      int x = x(i + 0.5);
      path.append(i == 0 ? 'M' : 'L').append(x).append(' ').append(y(base[i] + numbers.get(i)));
      back.insert(0, "L" + x + " " + y(base[i]));
      base[i] += numbers.get(i);
    }
    return path.append(back).append('z').toString();
  }
}
