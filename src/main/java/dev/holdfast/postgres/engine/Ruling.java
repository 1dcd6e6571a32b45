package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Json;
import dev.holdfast.retry.RetryDecision;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A retry decision with the counts to be stored, and the documents that it leaves in the row and
 * the log. Tickets that were claimed together and fail alike share it, and it is written and sent
 * once for all of them.
 *
 * @param currentAttempt retries before it, and one (A61)
 */
record Ruling(
    long leaseNo,
    FailureJudge.Outcome attemptOutcome,
    RetryDecision decision,
    long currentAttempt,
    int retryCount,
    Map<Category, Integer> retryCounts,
    int sameErrorCount,
    int crashCount) {

  long retriesBefore() {
    return currentAttempt - 1;
  }

  String outcome() {
    return attemptOutcome.name().toLowerCase(Locale.ROOT);
  }

  Failure failure() {
    return decision.classification();
  }

  String category() {
    return failure().category().wireName();
  }

  @Nullable String holdReason() {
    return decision.hold().map(RetryDecision.Hold::reason).orElse(null);
  }

  long delayMillis() {
    return decision.nextDelay().toMillis();
  }

  String countsJson() {
    Map<String, Integer> counts = new TreeMap<>();
    retryCounts.forEach((category, count) -> counts.put(category.wireName(), count));
    return Json.write(counts);
  }

  /** What {@code tickets.retry_strategy} says of the decision (A32). */
  String strategyJson() {
    Map<String, Object> strategy = new LinkedHashMap<>();
    strategy.put("errorCategory", category());
    strategy.put("maxRetries", decision.strategy().maxRetries());
    strategy.put("backoffType", decision.strategy().backoff().type().wireName());
    strategy.put("nextDelayMs", delayMillis());
    strategy.put("attemptsRemaining", decision.attemptsRemaining());
    return Json.write(strategy);
  }
}
