package dev.holdfast.session.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schema.Enqueues;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A report as plain text. */
class TextReportTest {
  @ParameterizedTest
  @Timeout(20)
  @ValueSource(strings = {"\n", " \n", " ", "`", "```\n", "{"})
  @DisplayName("B49: a text of one part again and again is no report, and soon found to be none")
  void longRuns(String part) {
    ReportRules rules = new ReportRules(null, Enqueues.NONE);
    for (String begin : new String[] {"```", "```json", "```json\n", ""}) {
      String text = begin + part.repeat(200_000) + "x";
      assertThat(TextReport.in(text, rules)).isEmpty();
    }
  }
}
