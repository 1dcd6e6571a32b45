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
    assertThat(slots.acquire(3, 0)).isEqualTo(3);
    assertThat(slots.acquire(10, 0)).isEqualTo(2);
    slots.release(1);
    assertThat(slots.acquire(10, 0)).isEqualTo(1);
  }

  @Test
  @DisplayName("A47: waits while nothing is free; opening lets a waiting poller go")
  void waits() throws Exception {
    assertThat(slots.acquire(5, 0)).isEqualTo(5);
    CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(this::acquire);
    slots.open();
    assertThat(waiting.get()).isPositive();
  }

  @Test
  @DisplayName("A47: an idle poller leaves a slot to a notification, unless it is the only one")
  void spared() throws InterruptedException {
    Slots slots = new Slots(3);
    assertThat(slots.acquire(5, 1)).isEqualTo(2);
    assertThat(slots.tryAcquire(5)).isEqualTo(1);
    assertThat(slots.tryAcquire(5)).isZero();
    slots.release(1);
    assertThat(slots.acquire(5, 1)).isEqualTo(1);
  }

  private int acquire() {
    try {
      return slots.acquire(5, 0);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
