package dev.holdfast.cli;

import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellResult;
import dev.holdfast.bench.Figure;
import dev.holdfast.bench.ReportRow;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.TextTable;
import java.util.Locale;

/** Writes a benchmark's report for people to read. */
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
    TextTable table = new TextTable(ReportRow.HEADINGS.toArray(String[]::new));
    ReportRow.of(report).forEach(row -> table.row(row.columns().toArray()));
    table.print(terminal);
    for (CellResult cell : report.cells()) {
      for (Figure figure : cell.figures()) {
        figure.notes().forEach(note -> terminal.line(cell.name() + ": " + note));
      }
    }
  }
}
