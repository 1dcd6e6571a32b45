package dev.holdfast.web.console.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * A chart over time as its template draws it: numbers stacked on one another, {@value #WIDTH} units
 * wide and {@value #HEIGHT} high; y grows downwards.
 *
 * @param id the id of its element, unique on a page
 * @param summary what a screen reader says in place of the picture
 * @param levels lines of equal numbers
 * @param times marks below
 * @param table the same in figures; spans without any are left out
 */
public record Chart(
    String id,
    String title,
    String summary,
    List<Shape> shapes,
    List<Tick> levels,
    List<Tick> times,
    List<Line> table) {
  public static final int WIDTH = 600;
  public static final int HEIGHT = 200;
  static final int LEFT = 46;
  static final int RIGHT = 594;
  static final int TOP = 12;
  static final int BOTTOM = 172;

  /** The width of a mark's label. */
  private static final int LABEL = 36;

  /** The form in which numbers are drawn. */
  public enum Form {
    BARS,
    AREA
  }

  /**
   * Numbers to draw, one for each span of the axis.
   *
   * @param css its colour
   */
  public record Series(String label, String css, List<Double> numbers) {
    public Series {
      numbers = List.copyOf(numbers);
    }

    public static Series of(String label, String css, double[] numbers) {
      List<Double> list = new ArrayList<>();
      for (double number : numbers) {
        list.add(number);
      }
      return new Series(label, css, list);
    }

    double sum() {
      return numbers.stream().mapToDouble(Double::doubleValue).sum();
    }
  }

  /**
   * A series as drawn.
   *
   * @param path the path of an SVG; empty where all numbers are 0
   * @param total the sum, in words
   */
  public record Shape(String label, String css, String total, String path) {}

  /** A mark of an axis, in units. */
  public record Tick(int at, String label) {}

  /** The numbers of one span, in words. */
  public record Line(String time, List<String> numbers) {
    public Line {
      numbers = List.copyOf(numbers);
    }
  }

  public Chart {
    shapes = List.copyOf(shapes);
    levels = List.copyOf(levels);
    times = List.copyOf(times);
    table = List.copyOf(table);
  }

  /** Returns true if there is nothing to show. */
  public boolean isEmpty() {
    return table.isEmpty();
  }

  /**
   * @param words a number of the chart for people
   */
  public static Chart of(
      String id,
      String title,
      Form form,
      TimeAxis axis,
      List<Series> series,
      DoubleFunction<String> words) {
    Levels levels = Levels.upTo(highest(axis, series));
    StackedPaths paths = new StackedPaths(axis.spans(), levels.top());
    List<Shape> shapes = new ArrayList<>();
    for (Series each : series) {
      String path = form == Form.BARS ? paths.bars(each.numbers()) : paths.area(each.numbers());
      shapes.add(new Shape(each.label(), each.css(), words.apply(each.sum()), path));
    }
    return new Chart(
        id,
        title,
        summary(shapes),
        shapes,
        levels.numbers().stream()
            .map(number -> new Tick(paths.y(number), words.apply(number)))
            .toList(),
        times(axis, paths),
        table(axis, series, words));
  }

  /** Returns the marks of the axis. A label at the very edge would be cut off. */
  private static List<Tick> times(TimeAxis axis, StackedPaths paths) {
    return axis.marks().stream()
        .map(mark -> new Tick(paths.x(mark.at()), mark.label()))
        .filter(tick -> tick.at() > LEFT + LABEL / 2 && tick.at() < RIGHT - LABEL / 2)
        .toList();
  }

  private static double highest(TimeAxis axis, List<Series> series) {
    double highest = 0;
    for (int i = 0; i < axis.spans(); i++) {
      highest = Math.max(highest, sumAt(series, i));
    }
    return highest;
  }

  private static double sumAt(List<Series> series, int at) {
    return series.stream().mapToDouble(each -> each.numbers().get(at)).sum();
  }

  private static String summary(List<Shape> shapes) {
    List<String> parts = new ArrayList<>();
    shapes.forEach(shape -> parts.add(shape.label() + " " + shape.total()));
    return String.join(", ", parts).toLowerCase(Locale.ROOT);
  }

  private static List<Line> table(
      TimeAxis axis, List<Series> series, DoubleFunction<String> words) {
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < axis.spans(); i++) {
      if (sumAt(series, i) > 0) {
        int at = i;
        lines.add(
            new Line(
                axis.label(at),
                series.stream().map(each -> words.apply(each.numbers().get(at))).toList()));
      }
    }
    return lines;
  }
}
