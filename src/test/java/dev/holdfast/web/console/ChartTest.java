package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.console.view.Chart;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.TimeAxis;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ChartTest {
  private static final TimeAxis HOUR =
      new TimeAxis(Instant.parse("2026-11-23T22:31:00Z"), Duration.ofMinutes(1), 60);

  private static Chart chart(Chart.Form form, double[]... numbers) {
    List<Chart.Series> series =
        java.util.Arrays.stream(numbers).map(each -> Chart.Series.of("N", "s-1", each)).toList();
    return Chart.of("c", "Numbers", form, HOUR, series, Format::compact);
  }

  private static double[] spans(int at, double number) {
    double[] numbers = new double[60];
    numbers[at] = number;
    return numbers;
  }

  @Test
  @DisplayName("bars stand on one another, and the lines have round numbers that hold the highest")
  void stacked() {
    Chart chart = chart(Chart.Form.BARS, spans(0, 300), spans(0, 900));
    assertThat(chart.levels()).extracting(Chart.Tick::label).startsWith("0").endsWith("1.5k");
    assertThat(chart.shapes())
        .extracting(Chart.Shape::path)
        .containsExactly("M46 172V140h8V172z", "M46 140V44h8V140z");
    assertThat(chart.table()).containsExactly(new Chart.Line("22:31", List.of("300", "900")));
    assertThat(chart.summary()).isEqualTo("n 300, n 900");
  }

  @Test
  @DisplayName("one in a million can be seen; nothing at all is no picture")
  void smallAndNone() {
    assertThat(chart(Chart.Form.BARS, spans(3, 1), spans(4, 1_000_000)).shapes().getFirst().path())
        .contains("V171");
    assertThat(chart(Chart.Form.AREA, new double[60]).isEmpty()).isTrue();
    assertThat(chart(Chart.Form.AREA, new double[60]).shapes().getFirst().path()).isEmpty();
  }

  @Test
  @DisplayName("times are marked in UTC, in every zone; those outside are not added")
  void times() {
    assertThat(HOUR.marks())
        .extracting(TimeAxis.Mark::label)
        .containsExactly("22:45", "23:00", "23:15", "23:30");
    double[] numbers = new double[60];
    HOUR.add(numbers, Instant.parse("2026-11-23T22:30:59Z"), 1);
    HOUR.add(numbers, Instant.parse("2026-11-23T23:31:00Z"), 1);
    HOUR.add(numbers, Instant.parse("2026-11-23T23:30:59Z"), 5);
    assertThat(numbers).isEqualTo(spans(59, 5));
    TimeAxis week = new TimeAxis(Instant.parse("2026-12-29T22:00:00Z"), Duration.ofHours(2), 84);
    assertThat(week.marks())
        .extracting(TimeAxis.Mark::label)
        .containsExactly("12-30", "12-31", "01-01", "01-02", "01-03", "01-04", "01-05");
    assertThat(week.label(1)).isEqualTo("12-30 00:00");
  }

  @Test
  @DisplayName("large numbers are short")
  void compact() {
    assertThat(List.of(0d, 0.5, 999d, 1_234d, 12_000_000d, 3e9))
        .extracting(Format::compact)
        .containsExactly("0", "0.5", "999", "1.2k", "12M", "3G");
  }
}
