package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ErrorReportTest {
  @Test
  @DisplayName("A54: NUL characters are removed and the rest of the text is kept whole")
  void nulCharacters() {
    assertThat(ErrorReport.ofText("a\0b\0").text()).isEqualTo("ab");
    String large = "x".repeat(1 << 20);
    assertThat(ErrorReport.ofText(large).text()).isSameAs(large);
    assertThat(ErrorReport.ofText(null).text()).isEmpty();
  }

  @Test
  @DisplayName("A54: lone surrogates become U+FFFD, pairs stay")
  void surrogates() {
    String text = ErrorReport.ofText("a\ud83db\ude00c\ud83d\ude00\ud83d").text();
    assertThat(text).isEqualTo("a\ufffdb\ufffdc\ud83d\ude00\ufffd");
    assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(text);
  }

  @Test
  @DisplayName("A54: the text of an exception has the root cause, however deep the chain")
  void causeChain() {
    Throwable cause = new IOException("the disk is gone");
    for (int i = 0; i < 20; i++) {
      cause = new IllegalStateException("wrapper " + i, cause);
    }
    String text = ErrorReport.ofThrowable(cause).text();
    assertThat(text)
        .startsWith("java.lang.IllegalStateException: wrapper 19\n")
        .contains("Caused by: java.io.IOException: the disk is gone");
    assertThat(text.length()).isLessThan(200_000);
  }

  @Test
  @DisplayName("A54: a cycle of causes ends")
  void causeCycle() {
    RuntimeException one = new RuntimeException("one");
    RuntimeException two = new RuntimeException("two", one);
    one.initCause(two);
    assertThat(ErrorReport.ofThrowable(one).text()).contains("one").contains("two");
  }

  @Test
  @DisplayName("A24: a negative hint is refused")
  void negativeHint() {
    ErrorReport report = ErrorReport.ofText("x");
    assertThatThrownBy(() -> report.withRetryAfter(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be negative");
  }
}
