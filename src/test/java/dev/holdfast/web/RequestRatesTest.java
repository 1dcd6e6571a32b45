package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RequestRatesTest {
  private Instant now = Instant.EPOCH;
  private final RequestRates rates = new RequestRates(2, () -> now);

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private boolean takesTwoMore() {
    return IntStream.range(0, 2).allMatch(i -> rates.take("ann"));
  }

  @Test
  @DisplayName("who had their share is refused until the minute is over, others are not")
  void bounded() {
    assertThat(takesTwoMore()).isTrue();
    pass(Duration.ofMinutes(1));
    assertThat(rates.take("ann")).isFalse();
    assertThat(rates.take("bob")).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(takesTwoMore()).isTrue();
  }

  @Test
  @DisplayName("a clock that is set back locks nobody out for as long as the jump was")
  void clockSetBack() {
    pass(Duration.ofHours(2));
    assertThat(takesTwoMore()).isTrue();
    pass(Duration.ofHours(-2));
    assertThat(takesTwoMore()).isTrue();
    assertThat(rates.take("ann")).isFalse();
    pass(Duration.ofSeconds(61));
    assertThat(takesTwoMore()).isTrue();
  }
}
