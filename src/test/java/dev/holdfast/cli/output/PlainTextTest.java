package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"\u001b", "\u0007", "\u007f", "\u0085", "\u009b", "\u009d", "\u202e", "\u2066"})
  @DisplayName("22.10: nothing that a terminal obeys, or that turns a text around, reaches it")
  void orders(String order) {
    assertThat(PlainText.oneLine("a" + order + "2J\nb")).isEqualTo("a 2J b");
    assertThat(PlainText.lines("a" + order + "2J\r\n\tb")).isEqualTo("a?2J\n\tb");
    assertThat(PlainText.lines("ü 文字 👩\u200d🔧 שלום")).isEqualTo("ü 文字 👩\u200d🔧 שלום");
  }
}
