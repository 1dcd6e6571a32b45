package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ServiceLoopTest {
  /** What happens to a program whose files are gone: the log fails with the error that it tells. */
  private static final class UntoldError extends NoClassDefFoundError {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      throw new NoClassDefFoundError("ch/qos/logback/classic/spi/ThrowableProxy");
    }
  }

  @Test
  @DisplayName("A46: an error that not even the log takes ends the round, not the loop")
  void untold() throws InterruptedException {
    CountDownLatch rounds = new CountDownLatch(3);
    ServiceLoop loop =
        new ServiceLoop(
            "test",
            Duration.ofMillis(1),
            () -> {
              rounds.countDown();
              throw new UntoldError();
            });
    loop.start();
    try {
      assertThat(rounds.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      loop.stop();
    }
  }
}
