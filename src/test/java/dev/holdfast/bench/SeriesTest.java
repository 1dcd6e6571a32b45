package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SeriesTest {
  @Test
  @DisplayName("the median and the spread of the rounds, in whatever order they came")
  void median() {
    Series odd = Series.of(List.of(30.0, 10.0, 20.0));
    assertThat(odd).isEqualTo(new Series(20, 10, 30, List.of(30.0, 10.0, 20.0)));
    assertThat(Series.of(List.of(4.0, 1.0)).median()).isEqualTo(2.5);
  }

  @Test
  @DisplayName("a ratio is taken round by round: a machine that slows down does not change it")
  void ratio() {
    Series holdfast = Series.of(List.of(50.0, 25.0, 5.0));
    Series probe = Series.of(List.of(100.0, 50.0, 10.0));
    assertThat(holdfast.over(probe).rounds()).containsExactly(0.5, 0.5, 0.5);
  }

  @Test
  @DisplayName("percentiles lie between their neighbours")
  void percentiles() {
    List<Double> values = List.of(1.0, 2.0, 3.0, 4.0, 5.0);
    assertThat(Series.percentile(values, 0)).isEqualTo(1);
    assertThat(Series.percentile(values, 1)).isEqualTo(5);
    assertThat(Series.percentile(values, 0.9)).isCloseTo(4.6, within(1e-9));
    assertThat(Series.percentile(List.of(7.0), 0.99)).isEqualTo(7);
  }
}
