package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ticket.HoldfastException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PerformancePageTest {
  private static final String PAGE =
      "# Performance\n\n" + PerformancePage.BEGIN + "\n" + PerformancePage.END + "\n\nThe end.\n";

  private static BenchReport report(String cpu, CellResult... cells) {
    return new BenchReport(
        Instant.parse("2026-11-21T10:00:30Z"),
        new BenchReport.Machine(cpu, 2, 24_000, "Linux 6", "Java 25", 0.14),
        "15.18",
        Map.of("fsync", "on", "autovacuum", "off"),
        new BenchOptions(0, 0, 50_000, 1, false),
        List.of(cells));
  }

  private static CellResult cell(String name, double value) {
    Figure figure =
        Figure.of("rate of " + name, "tickets/s", List.of(value, value, value))
            .beside("raw probe", List.of(100.0, 100.0, 100.0))
            .judgedBy(Bar.ratio("raw probe", 0.55, 0.8), new BenchOptions(0, 0, 0, 1, false))
            .noting(name + " was noted");
    return new CellResult(name, "what", List.of(figure), List.of());
  }

  private static String update(String page, BenchReport... reports) {
    return Arrays.stream(reports).reduce(page, PerformancePage::update, (one, other) -> one);
  }

  @Test
  @DisplayName("figures, machine, settings, date and notes stand between the comments")
  void figures() {
    assertThat(update(PAGE, report("EPYC", cell("drain", 60))))
        .isEqualTo(
            "# Performance\n\n"
                + PerformancePage.BEGIN
                + """

                Measured on EPYC, 2 cpus, 24,000 MB, Linux 6; Java 25; PostgreSQL 15.18 with \
                `autovacuum=off`, `fsync=on`.

                | cell | figure | Holdfast | beside | ratio | must | aim | outcome | run |
                | --- | --- | --- | --- | --- | --- | --- | --- | --- |
                | drain | rate of drain | 60.00 (60.00 to 60.00) tickets/s \
                | raw probe 100 (100 to 100) | 0.60 (0.60 to 0.60) | >= 0.55x | >= 0.80x | pass \
                | 2026-11-21 10:00, 3 rounds, load 0.1 |

                - drain: drain was noted
                """
                + PerformancePage.END
                + "\n\nThe end.\n");
  }

  @Test
  @DisplayName("the same report twice changes nothing")
  void idempotent() {
    BenchReport report = report("EPYC", cell("drain", 60), cell("start", 1));
    String once = update(PAGE, report);
    assertThat(update(once, report)).isEqualTo(once);
  }

  @Test
  @DisplayName("what was not measured this time stays, in the order of the cells")
  void partial() {
    BenchReport all = report("EPYC", cell("drain", 60), cell("idle", 10), cell("start", 1));
    String page = update(PAGE, all, report("EPYC", cell("idle", 20)));
    assertThat(page)
        .isEqualTo(
            update(PAGE, report("EPYC", cell("drain", 60), cell("idle", 20), cell("start", 1))));
  }

  @Test
  @DisplayName("figures of another machine do not stay")
  void otherMachine() {
    String page = update(PAGE, report("EPYC", cell("drain", 60)), report("Xeon", cell("idle", 20)));
    assertThat(page).isEqualTo(update(PAGE, report("Xeon", cell("idle", 20))));
  }

  @Test
  @DisplayName("text cannot break the table")
  void escapes() {
    CellResult nasty =
        new CellResult("drain", "", List.of(Figure.of("a|b <i>", "/s", List.of(1.0))), List.of());
    assertThat(update(PAGE, report("EPYC", nasty))).contains("| drain | a\\|b &lt;i> | 1.00 /s |");
  }

  @Test
  @DisplayName("too short a warm-up is told")
  void warmUp() {
    BenchReport report = report("EPYC", cell("drain", 60));
    BenchReport cold =
        new BenchReport(
            report.date(),
            report.machine(),
            report.postgres(),
            report.settings(),
            new BenchOptions(0, 0, 200, 1, false),
            report.cells());
    assertThat(update(PAGE, cold)).contains("load 0.1, warm-up 200 |");
  }

  @Test
  @DisplayName("a page without the comments, or with them the wrong way round, is left alone")
  void noPlace() {
    for (String page : List.of("", "# x", PerformancePage.END + PerformancePage.BEGIN)) {
      assertThat(PerformancePage.takes(page)).isFalse();
      assertThatThrownBy(() -> PerformancePage.update(page, report("EPYC")))
          .isInstanceOf(HoldfastException.class)
          .hasMessageContaining(PerformancePage.BEGIN);
    }
    assertThat(PerformancePage.takes(PAGE)).isTrue();
  }
}
