package dev.holdfast.web.console.view;

import java.util.ArrayList;
import java.util.List;

/**
 * Bars of a small chart, 4 units wide each, 20 high at most.
 *
 * @param label what a screen reader says
 */
public record Sparkline(List<Bar> bars, int width, String label) {
  private static final int HEIGHT = 20;
  private static final int STEP = 4;

  /** A bar; y counts from the top. */
  public record Bar(int x, int y, int height) {}

  public Sparkline {
    bars = List.copyOf(bars);
  }

  /** Draws numbers from the oldest to the newest; a bar that is not 0 is visible. */
  public static Sparkline of(List<Long> numbers, String label) {
    long most = Math.max(1, numbers.stream().mapToLong(Long::longValue).max().orElse(1));
    List<Bar> bars = new ArrayList<>();
    for (int i = 0; i < numbers.size(); i++) {
      long number = numbers.get(i);
      int height = number == 0 ? 0 : (int) Math.max(2, number * HEIGHT / most);
      if (height > 0) {
        bars.add(new Bar(i * STEP, HEIGHT - height, height));
      }
    }
    return new Sparkline(bars, numbers.size() * STEP, label);
  }
}
