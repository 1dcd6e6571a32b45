package dev.holdfast.postgres;

import dev.holdfast.failure.Category;
import dev.holdfast.retry.RetryDecision;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A decision on a failed ticket with the counts to be stored; the documents it leaves in the row
 * and the log.
 */
record Verdict(
    LockedTicket ticket,
    FailureJudge.Outcome attemptOutcome,
    RetryDecision decision,
    int retryCount,
    Map<Category, Integer> retryCounts,
    int sameErrorCount,
    int crashCount) {

  String outcome() {
    return attemptOutcome.name().toLowerCase(Locale.ROOT);
  }

  String countsJson() {
    Map<String, Integer> counts = new TreeMap<>();
    retryCounts.forEach((category, count) -> counts.put(category.wireName(), count));
    return Json.write(counts);
  }

  /** What {@code tickets.retry_strategy} says of the decision (A32). */
  String strategyJson() {
    Map<String, Object> strategy = new LinkedHashMap<>();
    strategy.put("errorCategory", decision.classification().category().wireName());
    strategy.put("maxRetries", decision.strategy().maxRetries());
    strategy.put("backoffType", decision.strategy().backoff().type().wireName());
    strategy.put("nextDelayMs", decision.nextDelay().toMillis());
    strategy.put("attemptsRemaining", decision.attemptsRemaining());
    return Json.write(strategy);
  }
}
