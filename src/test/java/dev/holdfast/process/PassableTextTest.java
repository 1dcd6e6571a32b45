package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Texts for a program, and the worker's locale")
class PassableTextTest {
  @Test
  @DisplayName("What the locale cannot express is refused, not turned into question marks")
  void refuses() {
    assertThatThrownBy(
            () ->
                PassableText.check(
                    List.of("sh"), Map.of("HOLDFAST_GUIDANCE", "für"), StandardCharsets.US_ASCII))
        .hasMessage(
            "the variable HOLDFAST_GUIDANCE has characters that the worker's locale (US-ASCII)"
                + " cannot pass on: start the worker with LC_ALL=C.UTF-8");
    assertThatThrownBy(
            () ->
                PassableText.check(List.of("sh", "/srv/für"), Map.of(), StandardCharsets.US_ASCII))
        .hasMessageStartingWith("the command's word \"für\" has characters");
  }

  @Test
  @DisplayName("A UTF-8 locale passes everything, any locale passes ASCII")
  void passes() {
    assertThatCode(
            () -> PassableText.check(List.of("für"), Map.of("X", "日本"), StandardCharsets.UTF_8))
        .doesNotThrowAnyException();
    assertThatCode(
            () -> PassableText.check(List.of("sh"), Map.of("X", "y"), StandardCharsets.US_ASCII))
        .doesNotThrowAnyException();
  }
}
