package dev.holdfast.session;

import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Writes down the waits and moves the clock; or blocks until somebody interrupts it. */
final class RecordingSleeper implements Sleeper {
  private final AtomicLong nanos;
  final List<Long> millis = new ArrayList<>();
  final CountDownLatch blocked = new CountDownLatch(1);
  volatile boolean blocks;

  RecordingSleeper(AtomicLong nanos) {
    this.nanos = nanos;
  }

  @Override
  public void sleep(Duration time) throws InterruptedException {
    millis.add(time.toMillis());
    if (blocks) {
      blocked.countDown();
      Sleeper.REAL.sleep(Duration.ofMinutes(5));
      throw new AssertionError("nobody interrupted the wait");
    }
    nanos.addAndGet(time.toNanos());
  }
}
