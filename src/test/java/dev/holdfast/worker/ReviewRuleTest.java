package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ticket.Review;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class ReviewRuleTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "human"              | 1      | HUMAN
          "none"               | 0      | NONE
          {"sample": "0 %"}    | 0      | RULE
          {"sample": " 10 % "} | 0.1    | RULE
          {"sample": "2.5%"}   | 0.025  | RULE
          {"sample": "100 %"}  | 1      | RULE
          """)
  @DisplayName("so many of any tickets are reviewed, of neighbours as of those far apart")
  void share(String json, double share, Review others) {
    ReviewRule rule = ReviewRule.of(new JsonMapper().readTree(json), Review.NONE);
    for (long step : new long[] {1, 2, 1000, 4096, 1_000_003}) {
      long reviewed =
          LongStream.range(0, 20_000).filter(i -> rule.of(i * step) == Review.HUMAN).count();
      assertThat(reviewed / 20_000.0).as("step %s", step).isBetween(share - 0.01, share + 0.01);
      assertThat(LongStream.range(0, 100).mapToObj(i -> rule.of(i * step)))
          .allMatch(each -> each == Review.HUMAN || each == others);
    }
  }
}
