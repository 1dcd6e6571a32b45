package dev.holdfast.bench;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All that one run of the benchmark found.
 *
 * @param date when it began
 * @param postgres the server's version
 * @param settings the server's settings, as {@code SHOW} prints them
 */
public record BenchReport(
    Instant date,
    Machine machine,
    String postgres,
    Map<String, String> settings,
    BenchOptions options,
    List<CellResult> cells) {

  /**
   * The machine it ran on.
   *
   * @param cpus as Java counts them
   * @param memoryMb 0 where it is not known
   * @param load the mean number of busy processes in the minute before; negative if it is not known
   */
  public record Machine(
      String cpu, int cpus, long memoryMb, String system, String java, double load) {}

  /** Returns false if a figure missed its bar. */
  public boolean passed() {
    return cells.stream()
        .flatMap(cell -> cell.figures().stream())
        .noneMatch(figure -> figure.outcome() == Bar.Outcome.FAIL);
  }
}
