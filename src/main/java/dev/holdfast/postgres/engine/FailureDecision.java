package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Json;
import dev.holdfast.retry.AttemptOutcome;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.retry.RetryHistory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A retry decision with the counts to be stored, and the documents that it leaves in the row and
 * the log. Tickets that were claimed together and fail alike share it, and it is written and sent
 * once for all of them.
 *
 * @param policy the policy's decision
 * @param counts of the ticket after it
 * @param retriesBefore of the ticket before it
 */
record FailureDecision(
    long leaseNo,
    AttemptOutcome attemptOutcome,
    RetryDecision policy,
    RetryHistory counts,
    long retriesBefore) {

  /** Retries before it, and one (A61). */
  long currentAttempt() {
    return retriesBefore + 1;
  }

  String outcome() {
    return attemptOutcome.wireName();
  }

  int retryCount() {
    return counts.retryCount();
  }

  int sameErrorCount() {
    return counts.sameErrorCount();
  }

  int crashCount() {
    return counts.crashCount();
  }

  Failure failure() {
    return policy.classification();
  }

  String category() {
    return failure().category().wireName();
  }

  @Nullable String holdReason() {
    return policy.hold().map(RetryDecision.Hold::reason).orElse(null);
  }

  long delayMillis() {
    return policy.nextDelay().toMillis();
  }

  String countsJson() {
    Map<String, Integer> byCategory = new TreeMap<>();
    counts.retryCounts().forEach((category, count) -> byCategory.put(category.wireName(), count));
    return Json.write(byCategory);
  }

  /** What {@code tickets.retry_strategy} says of the decision (A32). */
  String strategyJson() {
    Map<String, Object> strategy = new LinkedHashMap<>();
    strategy.put("errorCategory", category());
    strategy.put("maxRetries", policy.strategy().maxRetries());
    strategy.put("backoffType", policy.strategy().backoff().type().wireName());
    strategy.put("nextDelayMs", delayMillis());
    strategy.put("attemptsRemaining", policy.attemptsRemaining());
    return Json.write(strategy);
  }
}
