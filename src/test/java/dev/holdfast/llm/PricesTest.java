package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PricesTest {
  private static Price price(String input) {
    return Price.of(new BigDecimal(input), BigDecimal.ZERO);
  }

  @Test
  @DisplayName("B72: the exact name wins, then the longest start; no price is no cost of 0")
  void wildcards() {
    Prices prices =
        new Prices(Map.of("gpt-5", price("1"), "gpt-5*", price("2"), "gpt-*", price("3")));
    Usage million = new Usage(1_000_000, 0, 0, 0);
    assertThat(prices.cost("gpt-5", million)).hasValueSatisfying(equalTo("1"));
    assertThat(prices.cost("gpt-5-mini", million)).hasValueSatisfying(equalTo("2"));
    assertThat(prices.cost("gpt-4", million)).hasValueSatisfying(equalTo("3"));
    assertThat(prices.cost("claude", million)).isEmpty();
    assertThat(new Prices(Map.of("*", price("4"))).cost("", million))
        .hasValueSatisfying(equalTo("4"));
  }

  private static java.util.function.Consumer<BigDecimal> equalTo(String cost) {
    return actual -> assertThat(actual).isEqualByComparingTo(cost);
  }

  @Test
  @DisplayName("B72: each part of the usage has its price, summed without rounding")
  void parts() {
    Price price =
        new Price(
            new BigDecimal("3"),
            new BigDecimal("0.3"),
            new BigDecimal("3.75"),
            new BigDecimal("15"));
    assertThat(price.cost(new Usage(1, 1, 1, 1))).isEqualByComparingTo("0.00002205");
    assertThatThrownBy(() -> price("-1")).isInstanceOf(IllegalArgumentException.class);
  }
}
