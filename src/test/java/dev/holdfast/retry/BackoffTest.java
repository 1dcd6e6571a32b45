package dev.holdfast.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffTest {
  private static final Duration NO_CAP = Duration.ofMillis(Long.MAX_VALUE);

  private static long[] seconds(BackoffType type, int base, int count) {
    Backoff backoff = new Backoff(type, Duration.ofSeconds(base));
    return IntStream.rangeClosed(1, count)
        .mapToLong(n -> backoff.delay(n, Duration.ofMinutes(15)).toSeconds())
        .toArray();
  }

  @Test
  @DisplayName("A15, A19: exponential is base * 2^(n-1)")
  void exponential() {
    assertThat(seconds(BackoffType.EXPONENTIAL, 30, 4)).containsExactly(30, 60, 120, 240);
  }

  @Test
  @DisplayName("A15, A19: linear is base * n")
  void linear() {
    assertThat(seconds(BackoffType.LINEAR, 15, 4)).containsExactly(15, 30, 45, 60);
  }

  @Test
  @DisplayName("A15, A20: none is no delay")
  void none() {
    assertThat(seconds(BackoffType.NONE, 15, 3)).containsExactly(0, 0, 0);
  }

  @Test
  @DisplayName("A18: the cap is the longest delay")
  void cap() {
    assertThat(seconds(BackoffType.EXPONENTIAL, 30, 7))
        .containsExactly(30, 60, 120, 240, 480, 900, 900);
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1})
  @DisplayName("A25: a retry number below 1 counts as 1")
  void small(int n) {
    for (BackoffType type : BackoffType.values()) {
      Duration first = new Backoff(type, Duration.ofSeconds(7)).delay(1, NO_CAP);
      assertThat(new Backoff(type, Duration.ofSeconds(7)).delay(n, NO_CAP)).isEqualTo(first);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {62, 63, 64, 65, 10_000, Integer.MAX_VALUE})
  @DisplayName("A25: large retry numbers saturate at the cap instead of overflowing")
  void large(int n) {
    Backoff exponential = new Backoff(BackoffType.EXPONENTIAL, Duration.ofSeconds(30));
    assertThat(exponential.delay(n, Duration.ofMinutes(15))).isEqualTo(Duration.ofMinutes(15));
    assertThat(exponential.delay(n, NO_CAP)).isEqualTo(NO_CAP);
    Backoff linear = new Backoff(BackoffType.LINEAR, NO_CAP);
    assertThat(linear.delay(n, NO_CAP)).isEqualTo(NO_CAP);
  }

  @ParameterizedTest
  @EnumSource(BackoffType.class)
  @DisplayName("A25: whatever the numbers, a delay is within 0 and the cap, and never shrinks")
  void properties(BackoffType type) {
    long seed = 20_261_121;
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      Duration base = Duration.ofMillis(random.nextLong(1L << random.nextInt(1, 63)));
      Duration cap = Duration.ofMillis(random.nextLong(1L << random.nextInt(1, 63)));
      int n = random.nextInt() >>> random.nextInt(32);
      Backoff backoff = new Backoff(type, base);

      Duration delay = backoff.delay(n, cap);

      assertThat(delay).as("%s %s n=%s", backoff, cap, n).isBetween(Duration.ZERO, cap);
      if (n < Integer.MAX_VALUE) {
        assertThat(backoff.delay(n + 1, cap))
            .as("%s %s n=%s", backoff, cap, n)
            .isGreaterThanOrEqualTo(delay);
      }
    }
  }

  @Test
  @DisplayName("A25: a base delay is not negative")
  void negativeBase() {
    assertThatThrownBy(() -> new Backoff(BackoffType.LINEAR, Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be negative");
  }

  @Test
  @DisplayName("A25: a base delay that no number of milliseconds is saturates too")
  void base() {
    Duration ever = ChronoUnit.FOREVER.getDuration();
    for (BackoffType type : List.of(BackoffType.LINEAR, BackoffType.EXPONENTIAL)) {
      Backoff backoff = new Backoff(type, ever);
      assertThat(backoff.delay(1, Duration.ofMinutes(15))).isEqualTo(Duration.ofMinutes(15));
      assertThat(backoff.delay(2, NO_CAP)).isEqualTo(NO_CAP);
    }
  }
}
