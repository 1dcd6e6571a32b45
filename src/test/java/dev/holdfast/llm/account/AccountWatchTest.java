package dev.holdfast.llm.account;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.holdfast.testing.LogLines;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading anew at each notification and each interval. */
@Timeout(120)
class AccountWatchTest {
  private static final Duration NEVER = Duration.ofHours(1);

  private final AccountBench bench = new AccountBench();
  private final Semaphore reads = new Semaphore(0);
  private final Semaphore upkeeps = new Semaphore(0);

  @BeforeEach
  void count() {
    bench.store.onRead = reads::release;
    bench.store.onUpkeep = upkeeps::release;
  }

  private AccountWatch watch(Duration interval) {
    return AccountWatch.start(
        bench.cache, interval, new OutageSettings(Duration.ofMinutes(7), NEVER));
  }

  private static void await(Semaphore what, int times) throws InterruptedException {
    assertThat(what.tryAcquire(times, 30, TimeUnit.SECONDS)).isTrue();
  }

  private void wake(AccountWatch watch, int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      watch.wake();
      await(reads, 1);
    }
  }

  @Test
  @DisplayName("the first read is over before anybody calls, the next comes with a notification")
  void wakes() throws InterruptedException {
    try (AccountWatch watch = watch(NEVER)) {
      assertThat(reads.tryAcquire()).isTrue();
      wake(watch, 2);
    }
  }

  @Test
  @DisplayName("where notifications are lost it reads at each interval")
  void interval() throws InterruptedException {
    try (AccountWatch _ = watch(Duration.ofMillis(1))) {
      await(reads, 4);
    }
  }

  @Test
  @DisplayName("notifications that come while it reads are answered by one more read")
  void manyWakes() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    try (AccountWatch watch = watch(NEVER)) {
      await(reads, 1);
      bench.store.onRead =
          () -> {
            reads.release();
            awaitQuietly(go);
          };
      wake(watch, 1);
      for (int i = 0; i < 10; i++) {
        watch.wake();
      }
      go.countDown();
      await(reads, 1);
    }
    assertThat(bench.store.reads).isEqualTo(3);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("every fifth read does the cluster's upkeep and tells people of outages")
  void upkeep() throws InterruptedException {
    try (LogLines lines = new LogLines(AccountWatch.class)) {
      try (AccountWatch watch = watch(NEVER)) {
        await(reads, 1);
        wake(watch, 5);
        await(upkeeps, 1);
        wake(watch, 4);
      }
      assertThat(upkeeps.availablePermits()).as("four reads later").isZero();
      assertThat(lines.of(Level.ERROR))
          .containsExactly(
              "openai has given no answer for PT7M: what needs it waits; see holdfast providers");
    }
  }

  @Test
  @DisplayName("an upkeep that fails is tried again five reads later")
  void upkeepFails() throws InterruptedException {
    bench.store.onUpkeep =
        () -> {
          upkeeps.release();
          throw new IllegalStateException("no database");
        };
    try (AccountWatch watch = watch(NEVER)) {
      await(reads, 1);
      wake(watch, 10);
      await(upkeeps, 2);
    }
  }

  @Test
  @DisplayName(
      "while the database is away it goes on asking, does no upkeep, and reads when it is back")
  void databaseAway() throws InterruptedException {
    bench.store.down = true;
    try (AccountWatch watch = watch(NEVER)) {
      await(reads, 1);
      wake(watch, 10);
      bench.store.budgets.add("day");
      bench.store.down = false;
      wake(watch, 1);
    }
    assertThat(upkeeps.availablePermits()).isZero();
    assertThat(bench.cache.budgets(java.util.List.of("day", "other"))).containsExactly("day");
  }
}
