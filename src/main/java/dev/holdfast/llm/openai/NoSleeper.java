package dev.holdfast.llm.openai;

import com.openai.core.Sleeper;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Replaces the SDK's own sleeper. That one starts a thread for each client and leaves it to the
 * garbage collector, so a worker that made many calls had thousands. A sleeper waits between
 * retries, and the SDK must not retry.
 */
enum NoSleeper implements Sleeper {
  INSTANCE;

  @Override
  public void sleep(Duration duration) {
    throw new IllegalStateException("the SDK retries, though it is told not to");
  }

  @Override
  public CompletableFuture<Void> sleepAsync(Duration duration) {
    return CompletableFuture.failedFuture(
        new IllegalStateException("the SDK retries, though it is told not to"));
  }

  @Override
  public void close() {}
}
