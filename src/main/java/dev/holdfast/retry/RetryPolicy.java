package dev.holdfast.retry;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides between retry and hold. It is pure but for the random numbers that it is given.
 * Thread-safe if they are.
 */
public final class RetryPolicy {
  private final DoubleSupplier random;

  /**
   * @param random numbers from 0 (inclusive) to 1 for the jitter
   */
  public RetryPolicy(DoubleSupplier random) {
    this.random = random;
  }

  /**
   * A decision, and the ticket's counts after it.
   *
   * @param counts with the attempt, and with the retry if one is used up
   */
  public record Counted(RetryDecision decision, RetryHistory counts) {}

  /**
   * Decides on an attempt and counts the retry. A crash uses up no retry, unless {@code
   * crash-limit} is off.
   *
   * @param history with this attempt
   * @param hold why the ticket is to be held whatever the policy says; null where the policy
   *     decides
   */
  public Counted decide(
      Failure failure,
      AttemptOutcome outcome,
      RetryHistory history,
      RetrySettings settings,
      RetryDecision.@Nullable Hold hold) {
    boolean ofCrash = outcome == AttemptOutcome.CRASHED && settings.crashLimit() != 0;
    RetryDecision byPolicy =
        ofCrash
            ? afterCrash(failure, history, settings)
            : shouldRetryTicket(failure, history, settings);
    RetryDecision decision = hold == null ? byPolicy : byPolicy.heldFor(hold);
    boolean usesRetry = decision.shouldRetry() && !ofCrash;
    return new Counted(decision, usesRetry ? history.withRetry(failure.category()) : history);
  }

  /**
   * Retries while the count is below the category's maximum (A16), unless the ticket only repeats
   * itself.
   */
  public RetryDecision shouldRetryTicket(
      Failure failure, RetryHistory history, RetrySettings settings) {
    CategoryPolicy strategy = settings.of(failure.category());
    int used = history.used(failure.category(), settings.counting());
    int remaining = Math.max(0, strategy.maxRetries() - used);
    Optional<RetryDecision.Hold> hold = hold(failure, history, settings, remaining);
    Duration delay =
        hold.isPresent() ? Duration.ZERO : delay(failure, used + 1, settings, strategy);
    return new RetryDecision(delay, remaining, failure, strategy, hold);
  }

  /**
   * Decides after the death of a ticket's worker: no retry is used up, and {@code crash-limit}
   * holds.
   */
  private RetryDecision afterCrash(Failure failure, RetryHistory history, RetrySettings settings) {
    CategoryPolicy strategy = settings.of(failure.category());
    int crashes = history.crashCount();
    int remaining = Math.max(0, settings.crashLimit() - crashes);
    Optional<RetryDecision.Hold> hold =
        remaining > 0
            ? Optional.empty()
            : held(
                HoldCause.POISON,
                "Its worker died " + crashes + " times: " + failure.category().wireName());
    Duration delay = hold.isPresent() ? Duration.ZERO : delay(failure, crashes, settings, strategy);
    return new RetryDecision(delay, remaining, failure, strategy, hold);
  }

  private static Optional<RetryDecision.Hold> hold(
      Failure failure, RetryHistory history, RetrySettings settings, int remaining) {
    String category = failure.category().wireName();
    if (remaining == 0) {
      return held(HoldCause.MAX_RETRIES, "Max retries exceeded: " + category);
    }
    boolean repeats =
        settings.sameErrorLimit() > 0 && history.sameErrorCount() >= settings.sameErrorLimit();
    // A rate limit that comes again is what one expects of a rate limit.
    if (repeats && failure.category() != Category.TRANSIENT) {
      return held(
          HoldCause.SAME_ERROR,
          "Same error " + history.sameErrorCount() + " times in a row: " + category);
    }
    return Optional.empty();
  }

  private static Optional<RetryDecision.Hold> held(HoldCause cause, String reason) {
    return Optional.of(new RetryDecision.Hold(cause, reason));
  }

  /**
   * Returns the backoff, raised to the server's hint (A24), capped, then spread by the jitter
   * (A18).
   */
  private Duration delay(
      Failure failure, int retry, RetrySettings settings, CategoryPolicy strategy) {
    Duration delay = strategy.backoff().delay(retry, settings.maxDelay());
    Duration hint = failure.retryAfter();
    if (hint != null && hint.compareTo(delay) > 0) {
      delay = hint.compareTo(settings.maxDelay()) > 0 ? settings.maxDelay() : hint;
    }
    return delay.plusMillis((long) (delay.toMillis() * settings.jitter() * random.getAsDouble()));
  }
}
