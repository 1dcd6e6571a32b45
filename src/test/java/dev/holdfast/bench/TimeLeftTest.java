package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TimeLeftTest {
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final Lab.TimeLeft left = new Lab.TimeLeft(now::get);

  @Test
  @DisplayName("rounds that are left take as long as those before; the last and the first say none")
  void rounds() {
    now.set(Instant.ofEpochSecond(40));
    assertThat(left.after(2, 5)).isEqualTo(", about 1 min 0 s left");
    assertThat(left.after(4, 5)).isEqualTo(", about 10 s left");
    assertThat(left.after(5, 5)).isEmpty();
    assertThat(left.after(0, 5)).isEmpty();
    left.begin();
    now.set(Instant.ofEpochSecond(43));
    assertThat(left.after(1, 5)).isEqualTo(", about 12 s left");
  }
}
