package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a piece of work with a tool's retries (C1-C12). An error comes out as it was thrown, both
 * where it must not be retried and where the attempts are used up (C5, C9). Thread-safe.
 *
 * @param random gives numbers from 0 to 1 for the jitter
 * @param timeLeft no retry waits longer than that (C7)
 */
record ToolRetry(
    ToolRetrySettings settings, Sleeper sleeper, DoubleSupplier random, TimeLeft timeLeft) {
  private static final Logger log = LoggerFactory.getLogger(ToolRetry.class);

  /** One attempt. */
  @FunctionalInterface
  interface Attempt<T> {
    /**
     * @param number from 1
     */
    T run(int number) throws Exception;
  }

  /**
   * @param progress hears of each retry before its wait (C33)
   * @param repeatable whether an attempt may follow one that may have taken effect (C38)
   * @return what the first attempt that succeeds returns
   * @throws Exception the last attempt's, the same instance
   * @throws InterruptedException when the thread is interrupted, while it waits too (C13)
   */
  <T> T call(ToolCall call, boolean repeatable, ToolProgress progress, Attempt<T> body)
      throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return body.run(attempt);
      } catch (Exception e) {
        Duration delay = settings.delay(attempt, random.getAsDouble());
        if (!isRetried(e, attempt, repeatable) || delay.compareTo(timeLeft.get()) >= 0) {
          logFailure(call.name(), attempt, e);
          throw e;
        }
        logRetry(call.name(), attempt, delay, e);
        progress.retrying(new ToolRetrying(call, attempt + 1, settings.maxAttempts(), delay, e));
        sleeper.sleep(delay);
      }
    }
  }

  private boolean isRetried(Exception error, int attempt, boolean repeatable) {
    return attempt < settings.maxAttempts()
        && !RetryRule.isNeverRetried(error)
        && (repeatable || !RetryRule.mayHaveTakenEffect(error));
  }

  private void logRetry(String toolName, int attempt, Duration delay, Exception error) {
    log.warn(
        String.format(
            Locale.ROOT,
            "Tool '%s' failed (attempt %d/%d), retrying in %.1fs: %s",
            toolName,
            attempt,
            settings.maxAttempts(),
            delay.toNanos() / 1e9,
            ErrorLine.of(error)));
  }

  private void logFailure(String toolName, int attempt, Exception error) {
    if (error instanceof ModelRetryException || RetryRule.isAbort(error)) {
      return;
    }
    log.error(
        String.format(
            Locale.ROOT,
            "Tool '%s' failed for good (attempt %d/%d): %s",
            toolName,
            attempt,
            settings.maxAttempts(),
            ErrorLine.of(error)));
  }
}
