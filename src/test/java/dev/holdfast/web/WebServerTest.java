package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WebServerTest {
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @DisplayName("a web server that does not come to its end keeps nothing else from closing")
  void hangs() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);

    WebServer.closeWithin(
        Duration.ofMillis(50),
        () -> {
          began.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });

    assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();
    never.countDown();
  }
}
