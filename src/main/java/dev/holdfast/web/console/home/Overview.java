package dev.holdfast.web.console.home;

import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.view.FigureWindow;
import dev.holdfast.queue.view.Figures;
import dev.holdfast.queue.view.ModelFigure;
import dev.holdfast.retry.DurationText;
import dev.holdfast.web.console.view.Chart;
import dev.holdfast.web.console.view.Sparkline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The home page's charts.
 *
 * @param late how long nobody has counted; null if somebody has counted just now
 * @param queues those with most attempts, then those with tickets
 * @param models the models by cost, the most expensive first
 */
public record Overview(
    FigureWindow window,
    @Nullable String late,
    List<Tile> tiles,
    List<Chart> charts,
    List<QueueLine> queues,
    List<ModelLine> models) {
  private static final Duration LATE = Duration.ofMinutes(3);

  /**
   * A number with its name.
   *
   * @param link where the tickets behind it are
   * @param css its colour, or ""
   */
  public record Tile(String name, String number, String note, String link, String css) {}

  /** A queue as it is, and its attempts over the window. */
  public record QueueLine(QueueHealth health, Sparkline succeeded, Sparkline failed) {}

  /** The use of a model by a design over the window. */
  public record ModelLine(
      String model, String design, long answers, long tokensIn, long tokensOut, String cost) {}

  public Overview {
    tiles = List.copyOf(tiles);
    charts = List.copyOf(charts);
    queues = List.copyOf(queues);
    models = List.copyOf(models);
  }

  /**
   * @param queues the queues as they are now
   * @param held how many tickets wait for a person now
   * @param now the database's clock
   */
  public static Overview of(Figures figures, List<QueueHealth> queues, long held, Instant now) {
    Duration behind = Duration.between(figures.countedUntil(), now);
    return new Overview(
        figures.window(),
        behind.compareTo(LATE) > 0 ? DurationText.rough(behind) : null,
        HomeTiles.of(figures, queues, held, now),
        HomeCharts.of(figures),
        HomeQueues.of(figures, queues),
        HomeModels.of(figures));
  }

  /** Returns true if nothing was ever enqueued. */
  public boolean isNew() {
    return queues.isEmpty();
  }

  static String model(ModelFigure figure) {
    return figure.model().isEmpty() ? "several" : figure.model();
  }
}
