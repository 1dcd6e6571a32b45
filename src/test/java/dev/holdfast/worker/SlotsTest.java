package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SlotsTest {
  private final Slots slots = new Slots(5);

  @Test
  @DisplayName("A47: takes what is free, at most what is asked for")
  void atMost() throws Exception {
    assertThat(slots.acquire(3)).isEqualTo(3);
    assertThat(slots.acquire(10)).isEqualTo(2);
    slots.release(1);
    assertThat(slots.acquire(10)).isEqualTo(1);
  }

  @Test
  @DisplayName("A47: waits while nothing is free; opening lets a waiting poller go")
  void waits() throws Exception {
    assertThat(slots.acquire(5)).isEqualTo(5);
    CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(this::acquire);
    slots.open();
    assertThat(waiting.get()).isPositive();
  }

  private int acquire() {
    try {
      return slots.acquire(5);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
