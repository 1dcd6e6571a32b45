package dev.holdfast.queue.view;

/** Reads what workers have counted. Fast whatever the tables of tickets hold. Thread-safe. */
public interface FigureReader {
  /**
   * Returns the figures up to now by the database's clock.
   *
   * @throws dev.holdfast.queue.DatabaseUnavailableException if the database cannot be reached
   */
  Figures figures(FigureWindow window);
}
