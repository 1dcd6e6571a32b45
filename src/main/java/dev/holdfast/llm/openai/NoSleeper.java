package dev.holdfast.llm.openai;

import com.openai.core.Sleeper;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * In place of the SDK's own, which starts a thread for each client, and leaves it to the garbage
 * collector: a worker that made many calls had thousands. It waits between retries, and the SDK is
 * to make none.
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
