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

  @Test
  @DisplayName("A47: of eight slots one result may wait for its commit without a slot, not two")
  void waitingResults() throws InterruptedException {
    Slots slots = new Slots(8);
    assertThat(slots.acquire(8, 0)).isEqualTo(8);
    slots.ended();
    assertThat(slots.tryAcquire(8)).isEqualTo(1);
    slots.ended();
    slots.ended();
    assertThat(slots.tryAcquire(8)).as("two results wait too many").isZero();
    slots.stored();
    slots.stored();
    assertThat(slots.tryAcquire(8)).isEqualTo(2);
    slots.stored();
    assertThat(slots.tryAcquire(8)).as("it had none").isZero();
  }

  @Test
  @DisplayName("A47: with few slots a ticket keeps its slot until its result is stored")
  void fewSlots() {
    Slots slots = new Slots(7);
    assertThat(slots.tryAcquire(7)).isEqualTo(7);
    slots.ended();
    assertThat(slots.tryAcquire(7)).isZero();
    slots.stored();
    assertThat(slots.tryAcquire(7)).isEqualTo(1);
  }

  private int acquire() {
    try {
      return slots.acquire(5, 0);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
