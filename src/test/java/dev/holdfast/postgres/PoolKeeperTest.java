package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PoolKeeperTest {
  @Test
  @DisplayName("a round for which no thread can be started is not the last one")
  void goesOn() throws Exception {
    CountDownLatch rounds = new CountDownLatch(3);
    PoolKeeper keeper = new PoolKeeper("starved");
    try {
      var _ =
          keeper.scheduleWithFixedDelay(
              () -> {
                rounds.countDown();
                throw new OutOfMemoryError("unable to create native thread");
              },
              0,
              1,
              TimeUnit.MILLISECONDS);
      assertThat(rounds.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      keeper.shutdownNow();
    }
  }
}
