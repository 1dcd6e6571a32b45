package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final StringWriter said = new StringWriter();

  private Progress progress(Screen screen) {
    PrintWriter err = new PrintWriter(said, true);
    return new Progress(
        new Terminal(
            err, err, InputStream.nullInputStream(), now::get, Keyboard.Opener.NONE, screen),
        "released");
  }

  private void work(Progress progress, int steps, long of, Duration each) {
    for (int i = 0; i < steps; i++) {
      now.updateAndGet(time -> time.plus(each));
      progress.stepOf(of);
    }
  }

  @Test
  @DisplayName("work that is soon done says nothing, however much it was")
  void quick() {
    Progress progress = progress(new Screen(true, 80, true));
    work(progress, 100_000, 100_000, Duration.ofNanos(15_000));
    progress.end();
    assertThat(said.toString()).isEmpty();
  }

  @Test
  @DisplayName("on a terminal one line tells count, rate, part and time left, and goes at the end")
  void terminal() {
    Progress progress = progress(new Screen(true, 80, true));
    work(progress, 640, 3_200, Duration.ofMillis(125));
    assertThat(said.toString().split("\r"))
        .contains("released 640, 8.0 a second, 20 %, 5m 20s left\u001b[K")
        .hasSizeGreaterThan(5);
    assertThat(said.toString()).doesNotContain("\n");
    progress.end();
    assertThat(said.toString()).endsWith("\r\u001b[K");
  }

  @Test
  @DisplayName("in a file there is a line every 10 s, and no time left where nobody knows it")
  void file() {
    Progress progress = progress(Screen.NONE);
    work(progress, 64_000, 0, Duration.ofMillis(1));
    progress.end();
    assertThat(said.toString().lines())
        .hasSize(7)
        .allMatch(line -> line.matches("released [0-9,]+, 1,000 a second"));
  }

  @Test
  @DisplayName("what comes in pages is counted and told by page")
  void pages() {
    Progress progress = progress(Screen.NONE);
    for (int page = 0; page < 4; page++) {
      now.updateAndGet(time -> time.plusSeconds(6));
      progress.step(2_000, 8_000);
    }
    assertThat(said.toString().lines())
        .containsExactly(
            "released 2,000, 333 a second, 25 %, 18s left",
            "released 6,000, 333 a second, 75 %, 6s left");
  }

  @Test
  @DisplayName("a narrow terminal's line is cut, not broken")
  void narrow() {
    Progress progress = progress(new Screen(true, 20, true));
    work(progress, 640, 3_200, Duration.ofMillis(125));
    assertThat(said.toString().split("\r"))
        .allSatisfy(line -> assertThat(line.replace("\u001b[K", "").length()).isLessThan(20));
  }
}
