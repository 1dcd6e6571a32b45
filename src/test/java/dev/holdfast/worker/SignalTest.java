package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SignalTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Signal signal = new Signal();

  @Test
  @DisplayName("a signal given between two waits is not lost")
  void notLost() throws Exception {
    long seen = signal.count();
    signal.give();
    assertThat(signal.await(seen, LONG)).isTrue();
    assertThat(signal.await(signal.count(), Duration.ofMillis(1))).isFalse();
    assertThat(signal.await(signal.count(), Duration.ZERO)).isFalse();
  }

  @Test
  @DisplayName("a signal wakes all who wait")
  void wakesAll() throws Exception {
    long seen = signal.count();
    CompletableFuture<Boolean> one = CompletableFuture.supplyAsync(() -> awaitLong(seen));
    CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> awaitLong(seen));
    signal.give();
    assertThat(one.get()).isTrue();
    assertThat(other.get()).isTrue();
  }

  private boolean awaitLong(long seen) {
    try {
      return signal.await(seen, LONG);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("an expected signal comes at its time, the soonest of several first")
  void expected() throws Exception {
    long seen = signal.count();
    signal.giveIn(LONG);
    signal.giveIn(Duration.ofMillis(20));
    signal.giveIn(LONG);
    long start = System.nanoTime();
    assertThat(signal.await(seen, LONG)).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(10), Duration.ofSeconds(20));
  }

  @Test
  @DisplayName(
      "A46: a signal expected at the end of time neither fails nor comes, and sooner ones do")
  void expectedNever() throws Exception {
    long seen = signal.count();
    signal.giveIn(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(signal.await(seen, Duration.ofMillis(1))).isFalse();
    signal.giveIn(Duration.ofMillis(1));
    assertThat(signal.await(seen, LONG)).isTrue();
  }

  @Test
  @DisplayName("an expected signal shortens a wait that has begun, and is given once")
  void expectedMeanwhile() throws Exception {
    long seen = signal.count();
    CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> awaitLong(seen));
    signal.giveIn(Duration.ofMillis(5));
    assertThat(waiting.get()).isTrue();
    assertThat(signal.await(signal.count(), Duration.ofMillis(30))).isFalse();
  }
}
