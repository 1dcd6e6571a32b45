package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTest {
  private static final BenchOptions REAL = new BenchOptions(0, 0, 0, 1, false);
  private static final BenchOptions QUICK = new BenchOptions(0, 0, 0, 1, true);

  @ParameterizedTest
  @CsvSource({"79, FAIL", "80, PASS", "94, PASS", "95, AIM", "200, AIM"})
  @DisplayName("a ratio is held against the bar and the aim")
  void ratio(double value, Bar.Outcome expected) {
    Figure figure =
        Figure.of("x", "/s", List.of(value))
            .beside("probe", List.of(100.0))
            .judgedBy(Bar.ratio("probe", 0.8, 0.95), REAL);
    assertThat(figure.outcome()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"1.6, FAIL", "1.5, PASS", "0.9, PASS", "0.8, AIM"})
  @DisplayName("where less is better, it must be at most the bar")
  void atMost(double value, Bar.Outcome expected) {
    Figure figure = Figure.of("x", "s", List.of(value)).judgedBy(Bar.atMost(1.5, 0.8), REAL);
    assertThat(figure.outcome()).isEqualTo(expected);
  }

  @Test
  @DisplayName("only an aim cannot be missed")
  void onlyWanted() {
    Figure figure = Figure.of("x", "/s", List.of(1.0)).judgedBy(Bar.wanted(45_000), REAL);
    assertThat(figure.outcome()).isEqualTo(Bar.Outcome.PASS);
  }

  @Test
  @DisplayName("a quick run is not judged")
  void quick() {
    Figure figure = Figure.of("x", "s", List.of(99.0)).judgedBy(Bar.atMost(1.5, 0.8), QUICK);
    assertThat(figure.outcome()).isEqualTo(Bar.Outcome.NONE);
  }

  @Test
  @DisplayName("a bar about something that was not measured is a mistake in the cell")
  void unknownReference() {
    Figure figure = Figure.of("x", "s", List.of(1.0));
    assertThatThrownBy(() -> figure.judgedBy(Bar.ratio("probe", 1, 1), REAL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("x was not set beside probe");
  }
}
