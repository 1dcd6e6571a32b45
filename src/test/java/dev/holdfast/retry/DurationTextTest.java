package dev.holdfast.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "30s, PT30S",
    "5m, PT5M",
    "2h, PT2H",
    "7d, PT168H",
    "0, PT0S",
    "0s, PT0S",
    "' 90 s ', PT90S",
    "1500ms, PT1.5S",
    "007s, PT7S"
  })
  @DisplayName("reads a whole number and a unit")
  void parse(String text, Duration duration) {
    assertThat(DurationText.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "5",
        "s",
        "-5s",
        "+5s",
        "1.5s",
        "5 minutes",
        "5S",
        "5sec",
        "5s5s",
        "5s 5s",
        "1e3s",
        "٣s",
        "1234567890123456s",
        "PT5S"
      })
  @DisplayName("refuses everything else in one line that shows how it is done")
  void refuse(String text) {
    assertThatThrownBy(() -> DurationText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "\""
                + text
                + "\" is not a duration: write a whole number and a unit, as in 500ms,"
                + " 30s, 5m, 2h, 7d");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ms", "s", "m", "h", "d"})
  @DisplayName("the largest numbers do not overflow")
  void largest(String unit) {
    assertThat(DurationText.parse("999999999999999" + unit).toMillis()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s",
    "PT0.25S, 250ms",
    "PT90S, 90s",
    "PT15M, 15m",
    "PT2H, 2h",
    "PT24H, 1d",
    "PT25H, 25h"
  })
  @DisplayName("writes the shortest text")
  void format(Duration duration, String text) {
    assertThat(DurationText.format(duration)).isEqualTo(text);
  }

  @Test
  @DisplayName("what it writes it reads again")
  void roundTrip() {
    Random random = new Random(20_261_121);
    for (int i = 0; i < 5000; i++) {
      Duration duration = Duration.ofMillis(random.nextLong(1L << random.nextInt(1, 45)));
      assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
    }
  }
}
