package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CutTextTest {
  private static final String LINES = "half\n" + "whole line\n".repeat(1000);

  @Test
  @DisplayName("issue 20: the line that a cut went through is left out")
  void lines() {
    assertThat(CutText.behind(LINES)).isEqualTo("whole line\n".repeat(1000));
    assertThat(CutText.before("whole line\n".repeat(1000) + "half"))
        .isEqualTo("whole line\n".repeat(1000).stripTrailing());
  }

  @Test
  @DisplayName("issue 20: of one very long line a KiB is left out, of a short text a quarter")
  void oneLine() {
    assertThat(CutText.behind("x".repeat(10_000))).hasSize(10_000 - 1024);
    assertThat(CutText.before("x".repeat(10_000))).hasSize(10_000 - 1024);
    assertThat(CutText.behind("abcdefgh")).isEqualTo("cdefgh");
    assertThat(CutText.before("abcdefgh")).isEqualTo("abcdef");
    assertThat(CutText.behind("")).isEmpty();
    assertThat(CutText.before("")).isEmpty();
  }
}
