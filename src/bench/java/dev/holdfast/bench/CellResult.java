package dev.holdfast.bench;

import java.util.List;

/**
 * One cell, measured and verified.
 *
 * @param name as on the command line
 * @param curves rates over time, where they are of interest
 */
public record CellResult(String name, String what, List<Figure> figures, List<Curve> curves) {
  /**
   * @param tickets the tickets in each window
   * @param rates tickets per second in each window, in order
   */
  public record Curve(String label, int tickets, List<Double> rates) {}

  public CellResult {
    figures = List.copyOf(figures);
    curves = List.copyOf(curves);
  }
}
