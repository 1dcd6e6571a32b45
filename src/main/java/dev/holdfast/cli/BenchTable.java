package dev.holdfast.cli;

import dev.holdfast.bench.Bar;
import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellResult;
import dev.holdfast.bench.Figure;
import dev.holdfast.bench.Series;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A benchmark's report as people read it. */
final class BenchTable {
  private BenchTable() {}

  static void print(BenchReport report, Terminal terminal) {
    BenchReport.Machine machine = report.machine();
    terminal.line(
        String.format(
            Locale.ROOT,
            "%s, %d cpus, %,d MB, load %.2f; %s; PostgreSQL %s",
            machine.cpu(),
            machine.cpus(),
            machine.memoryMb(),
            machine.load(),
            machine.java(),
            report.postgres()));
    terminal.line("median (min to max) of the rounds; ratios are taken round by round");
    terminal.line("");
    TextTable table =
        new TextTable("cell", "figure", "Holdfast", "beside", "ratio", "must", "aim", "verdict");
    for (CellResult cell : report.cells()) {
      cell.figures().forEach(figure -> add(table, cell.name(), figure));
    }
    table.print(terminal);
    for (CellResult cell : report.cells()) {
      for (Figure figure : cell.figures()) {
        figure.notes().forEach(note -> terminal.line(cell.name() + ": " + note));
      }
    }
  }

  private static void add(TextTable table, String cell, Figure figure) {
    String value = spread(figure.value()) + " " + figure.unit();
    Bar bar = figure.bar();
    String must = bar == null ? "" : expected(bar, bar.must());
    String aim = bar == null ? "" : expected(bar, bar.aim());
    List<Figure.Reference> references = figure.references();
    if (references.isEmpty()) {
      table.row(cell, figure.name(), value, "", "", must, aim, verdict(figure));
      return;
    }
    int judged = judged(figure);
    for (int i = 0; i < references.size(); i++) {
      boolean first = i == 0;
      boolean here = i == judged;
      table.row(
          first ? cell : "",
          first ? figure.name() : "",
          first ? value : "",
          references.get(i).name() + " " + spread(references.get(i).value()),
          spread(references.get(i).ratio()),
          here ? must : "",
          here ? aim : "",
          here ? verdict(figure) : "");
    }
  }

  /** Which reference the bar is about; the first where it is about the value itself. */
  private static int judged(Figure figure) {
    Bar bar = figure.bar();
    for (int i = 0; bar != null && i < figure.references().size(); i++) {
      if (figure.references().get(i).name().equals(bar.of())) {
        return i;
      }
    }
    return 0;
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

  private static String verdict(Figure figure) {
    return figure.verdict() == Bar.Verdict.NONE
        ? ""
        : figure.verdict().name().toLowerCase(Locale.ROOT);
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

  /** Three digits are as many as a benchmark is good for. */
  static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.0f" : "%.2f", value);
  }
}
