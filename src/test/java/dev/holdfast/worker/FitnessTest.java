package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FitnessTest {
  private static final int CONCURRENCY = 20;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final Slots slots = new Slots(CONCURRENCY);
  private final Fitness fitness = new Fitness(slots, nanos::get);

  private static WorkerUnfitException noRoom() {
    return new WorkerUnfitException("no room", new IllegalStateException());
  }

  /** Of so many that run, these find no room and end. */
  private void noRoomFor(int tickets) {
    for (int i = 0; i < tickets; i++) {
      fitness.accept(noRoom());
      slots.release(1);
    }
  }

  /** Takes all that is free, and gives it back. */
  private int free() {
    int taken = slots.tryAcquire(CONCURRENCY);
    slots.release(taken);
    return taken;
  }

  private void after(int seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    fitness.openAfterQuiet();
  }

  /** How long it claims nothing from now on. */
  private int pause() {
    int seconds = 0;
    for (; !fitness.mayClaim(); seconds++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    }
    return seconds;
  }

  @Test
  @DisplayName(
      "where the machine has room for a few tickets those go on, and no more are claimed beside"
          + " them after one second")
  void someRoom() {
    assertThat(slots.tryAcquire(CONCURRENCY)).isEqualTo(CONCURRENCY);
    noRoomFor(14);
    assertThat(fitness.trouble()).contains("no room");
    assertThat(pause()).isEqualTo(1);
    assertThat(fitness.trouble()).isEmpty();
    assertThat(free()).isZero();
    slots.release(1);
    assertThat(free()).as("one of six has ended").isEqualTo(1);
  }

  @Test
  @DisplayName("where there is room for none one ticket is tried, at distances up to a minute")
  void noRoomAtAll() {
    assertThat(slots.tryAcquire(CONCURRENCY)).isEqualTo(CONCURRENCY);
    noRoomFor(CONCURRENCY);
    assertThat(pause()).isEqualTo(1);
    for (int seconds : new int[] {2, 4, 8, 16, 32, 60, 60}) {
      assertThat(slots.tryAcquire(CONCURRENCY)).isEqualTo(1);
      noRoomFor(1);
      assertThat(pause()).isEqualTo(seconds);
    }
  }

  @Test
  @DisplayName("a single ticket without room is tried at growing distances, however many slots")
  void singleTicket() {
    for (int seconds : new int[] {1, 2, 4, 8}) {
      assertThat(slots.tryAcquire(1)).isEqualTo(1);
      noRoomFor(1);
      assertThat(pause()).isEqualTo(seconds);
    }
    fitness.worked();
    assertThat(slots.tryAcquire(1)).isEqualTo(1);
    noRoomFor(1);
    assertThat(pause()).as("there is room for some").isEqualTo(1);
  }

  @Test
  @DisplayName(
      "closed slots are opened again, twice as many each time, after waits that get shorter while"
          + " there is no trouble")
  void opened() {
    slots.tryAcquire(CONCURRENCY);
    noRoomFor(CONCURRENCY);
    for (int i = 0; i < 3; i++) {
      pause();
      slots.tryAcquire(1);
      noRoomFor(1);
    }
    assertThat(pause()).isEqualTo(8);
    after(7);
    assertThat(free()).isEqualTo(1);
    after(1);
    assertThat(free()).isEqualTo(2);
    after(8);
    assertThat(free()).as("the wait is four seconds now").isEqualTo(4);
    after(4);
    after(2);
    assertThat(free()).isEqualTo(16);
    after(1);
    assertThat(free()).isEqualTo(CONCURRENCY);
    after(1);
    slots.tryAcquire(CONCURRENCY);
    noRoomFor(CONCURRENCY);
    assertThat(pause()).as("a new trouble").isEqualTo(1);
  }

  @Test
  @DisplayName("where there never is more room it is tried once a minute at last")
  void overAndOver() {
    slots.tryAcquire(CONCURRENCY);
    noRoomFor(14);
    int waited = 0;
    for (int i = 0; i < 10; i++) {
      pause();
      for (waited = 0; free() == 0; waited++) {
        after(1);
      }
      int more = slots.tryAcquire(CONCURRENCY);
      assertThat(more).isEqualTo(6);
      noRoomFor(more);
    }
    assertThat(waited).isEqualTo(60);
  }

  @Test
  @DisplayName("a worker of one ticket pauses, and does so for a second again after a quiet time")
  void single() {
    Slots one = new Slots(1);
    Fitness alone = new Fitness(one, nanos::get);
    alone.accept(noRoom());
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(alone.mayClaim()).isTrue();
    alone.accept(noRoom());
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(alone.mayClaim()).isFalse();
    nanos.addAndGet(Duration.ofSeconds(3).toNanos());
    alone.openAfterQuiet();
    alone.accept(noRoom());
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(alone.mayClaim()).isTrue();
    assertThat(one.tryAcquire(1)).isEqualTo(1);
  }
}
