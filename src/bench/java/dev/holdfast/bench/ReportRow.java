package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line of a report's table: a figure beside one of its references.
 *
 * @param columns the texts under {@link #HEADINGS}; empty if they would repeat the row before
 */
public record ReportRow(String cell, Figure figure, List<String> columns) {
  public static final List<String> HEADINGS =
      List.of("cell", "figure", "Holdfast", "beside", "ratio", "must", "aim", "outcome");

  public ReportRow {
    columns = List.copyOf(columns);
  }

  /** Returns all figures, in the report's order. */
  public static List<ReportRow> of(BenchReport report) {
    List<ReportRow> rows = new ArrayList<>();
    for (CellResult cell : report.cells()) {
      cell.figures().forEach(figure -> add(rows, cell.name(), figure));
    }
    return rows;
  }

  private static void add(List<ReportRow> rows, String cell, Figure figure) {
    List<Figure.Reference> references = figure.references();
    int judged = judged(figure);
    for (int i = 0; i < Math.max(1, references.size()); i++) {
      List<String> columns = new ArrayList<>();
      columns.addAll(
          i == 0
              ? List.of(cell, figure.name(), spread(figure.value()) + " " + figure.unit())
              : List.of("", "", ""));
      columns.addAll(
          references.isEmpty()
              ? List.of("", "")
              : List.of(
                  references.get(i).name() + " " + spread(references.get(i).value()),
                  spread(references.get(i).ratio())));
      columns.addAll(i == judged ? judgement(figure) : List.of("", "", ""));
      rows.add(new ReportRow(cell, figure, columns));
    }
  }

  /**
   * Returns the place of the reference that the bar is about; the first if it is about the value
   * itself.
   */
  private static int judged(Figure figure) {
    Bar bar = figure.bar();
    for (int i = 0; bar != null && i < figure.references().size(); i++) {
      if (figure.references().get(i).name().equals(bar.of())) {
        return i;
      }
    }
    return 0;
  }

  private static List<String> judgement(Figure figure) {
    Bar bar = figure.bar();
    if (bar == null) {
      return List.of("", "", "");
    }
    String outcome =
        figure.outcome() == Bar.Outcome.NONE
            ? ""
            : figure.outcome().name().toLowerCase(Locale.ROOT);
    return List.of(expected(bar, bar.must()), expected(bar, bar.aim()), outcome);
  }

  private static String expected(Bar bar, @Nullable Double value) {
    if (value == null) {
      return "";
    }
    String sign =
        switch (bar.direction()) {
          case AT_LEAST -> ">= ";
          case AT_MOST -> "<= ";
        };
    return sign + number(value) + (bar.of().isEmpty() ? "" : "x");
  }

  private static String spread(Series series) {
    return series.rounds().size() == 1
        ? number(series.median())
        : number(series.median())
            + " ("
            + number(series.min())
            + " to "
            + number(series.max())
            + ")";
  }

  /** Writes a number with three digits: a benchmark is no more exact. */
  private static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : "%.2f", value);
  }
}
