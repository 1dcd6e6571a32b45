package dev.holdfast.bench;

import dev.holdfast.ticket.HoldfastException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Puts a report into a page of Markdown that people wrote: only the part between two comments is
 * replaced. Lines of cells that the report lacks stay, if they were measured on the same machine
 * and database. The same report a second time changes nothing.
 */
public final class PerformancePage {
  public static final String BEGIN = "<!-- written by mvn -Pbench verify: from here -->";
  public static final String END = "<!-- written by mvn -Pbench verify: to here -->";

  private static final String ROW = "| ";
  private static final String NOTE = "- ";

  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

  private PerformancePage() {}

  /** Returns true if a page has the two comments, in their order. */
  public static boolean takes(String page) {
    return page.contains(BEGIN) && page.indexOf(END) > page.indexOf(BEGIN);
  }

  /**
   * Returns the page with the report's figures.
   *
   * @throws HoldfastException if the page lacks the two comments
   */
  public static String update(String page, BenchReport report) {
    if (!takes(page)) {
      throw new HoldfastException(
          "the page has no place for the figures; give it the lines " + BEGIN + " and " + END);
    }
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    String old = page.substring(begin + BEGIN.length(), end);
    return page.substring(0, begin) + BEGIN + "\n" + figures(old, report) + page.substring(end);
  }

  private static String figures(String old, BenchReport report) {
    String place = place(report);
    List<String> kept = old.contains(place) ? old.lines().toList() : List.of();
    List<String> lines = new ArrayList<>(List.of(place, ""));
    lines.add(row(Stream.concat(ReportRow.HEADINGS.stream(), Stream.of("run")).toList()));
    lines.add(row(List.of("---", "---", "---", "---", "---", "---", "---", "---", "---")));
    lines.addAll(merged(ROW, rows(report), kept, report));
    List<String> notes = merged(NOTE, notes(report), kept, report);
    if (!notes.isEmpty()) {
      lines.add("");
      lines.addAll(notes);
    }
    return String.join("\n", lines) + "\n";
  }

  /** Returns the facts that figures must have in common to stand in one table. */
  private static String place(BenchReport report) {
    BenchReport.Machine machine = report.machine();
    String settings =
        report.settings().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(each -> "`" + each.getKey() + "=" + each.getValue() + "`")
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "Measured on %s, %d cpus, %,d MB, %s; %s; PostgreSQL %s with %s.",
        machine.cpu(),
        machine.cpus(),
        machine.memoryMb(),
        machine.system(),
        machine.java(),
        report.postgres(),
        settings);
  }

  private static List<String> rows(BenchReport report) {
    List<String> rows = new ArrayList<>();
    for (ReportRow each : ReportRow.of(report)) {
      List<String> columns = new ArrayList<>(each.columns());
      boolean first = !columns.getFirst().isEmpty();
      columns.set(0, each.cell());
      columns.add(first ? run(each.figure(), report) : "");
      rows.add(row(columns));
    }
    return rows;
  }

  private static String run(Figure figure, BenchReport report) {
    int rounds = figure.value().rounds().size();
    int warmUp = report.options().warmUp();
    return String.format(
        Locale.ROOT,
        "%s, %d %s, load %.1f%s",
        MINUTE.format(report.date()),
        rounds,
        rounds == 1 ? "round" : "rounds",
        report.machine().load(),
        warmUp < BenchOptions.DEFAULT_WARM_UP ? ", warm-up " + warmUp : "");
  }

  private static List<String> notes(BenchReport report) {
    return report.cells().stream()
        .flatMap(
            cell ->
                cell.figures().stream()
                    .flatMap(figure -> figure.notes().stream())
                    .distinct()
                    .map(note -> NOTE + cell.name() + ": " + note))
        .toList();
  }

  /**
   * Returns the new lines and the old ones of other cells, in the order in which cells are listed.
   */
  private static List<String> merged(
      String mark, List<String> fresh, List<String> old, BenchReport report) {
    Set<String> measured =
        report.cells().stream().map(CellResult::name).collect(Collectors.toSet());
    return Stream.concat(
            fresh.stream(),
            old.stream()
                .filter(line -> line.startsWith(mark) && rank(line) >= 0)
                .filter(line -> !measured.contains(cell(line))))
        .sorted(Comparator.comparingInt(PerformancePage::rank))
        .toList();
  }

  private static int rank(String line) {
    String cell = cell(line);
    return Arrays.stream(CellName.values()).map(CellName::wireName).toList().indexOf(cell);
  }

  /** Returns the cell that a row or a note is about. */
  private static String cell(String line) {
    return line.substring(2).replaceFirst("[ :].*", "");
  }

  private static String row(List<String> columns) {
    return columns.stream()
        .map(column -> column.replace("|", "\\|").replace("<", "&lt;"))
        .collect(Collectors.joining(" | ", ROW, " |"));
  }
}
