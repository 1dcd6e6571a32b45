package dev.holdfast.bench;

/**
 * The size of a measurement. 0 leaves a number to the cell.
 *
 * @param rounds how often each figure is taken, interleaved with the probe's
 * @param tickets the number of tickets per round
 * @param warmUp the tickets that the worker and the probe work before anything is measured: Java
 *     code is twice as fast after 50,000
 * @param concurrency the worker's concurrency if the cell does not say
 * @param quick whether numbers are tiny and not judged: that shows that the benchmark works, not
 *     what it measures
 */
public record BenchOptions(int rounds, int tickets, int warmUp, int concurrency, boolean quick) {
  public static final int DEFAULT_WARM_UP = 50_000;
  public static final int QUICK_WARM_UP = 20;

  public BenchOptions {
    if (rounds < 0 || tickets < 0 || warmUp < 0) {
      throw new IllegalArgumentException("numbers must not be negative");
    }
    if (concurrency < 1) {
      throw new IllegalArgumentException("concurrency must be at least 1");
    }
  }

  int rounds(int usual) {
    return rounds > 0 ? rounds : quick ? 1 : usual;
  }

  int tickets(int usual, int whenQuick) {
    return tickets > 0 ? tickets : quick ? whenQuick : usual;
  }

  /** Returns a number that {@code --tickets} does not change. */
  int size(int usual, int whenQuick) {
    return quick ? whenQuick : usual;
  }
}
