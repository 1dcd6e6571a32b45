package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.postgres.Json;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.RetryDecision;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is equal for all tickets that were claimed together, never failed before and fail in one
 * category: the counts to be stored, and the documents that the decision leaves in the row and the
 * log. It is written and sent once for all of them; their errors may differ.
 *
 * @param currentAttempt retries before it, and one (A61)
 * @param attemptsRemaining retries that were left before it (A22)
 */
record Ruling(
    long leaseNo,
    FailureJudge.Outcome attemptOutcome,
    Category category,
    CategoryPolicy strategy,
    long delayMillis,
    int attemptsRemaining,
    RetryDecision.@Nullable Hold hold,
    long currentAttempt,
    int retryCount,
    Map<Category, Integer> retryCounts,
    int sameErrorCount,
    int crashCount) {

  String outcome() {
    return attemptOutcome.name().toLowerCase(Locale.ROOT);
  }

  @Nullable String holdReason() {
    return hold == null ? null : hold.reason();
  }

  String countsJson() {
    Map<String, Integer> counts = new TreeMap<>();
    retryCounts.forEach((each, count) -> counts.put(each.wireName(), count));
    return Json.write(counts);
  }

  /** What {@code tickets.retry_strategy} says of the decision (A32). */
  String strategyJson() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("errorCategory", category.wireName());
    document.put("maxRetries", strategy.maxRetries());
    document.put("backoffType", strategy.backoff().type().wireName());
    document.put("nextDelayMs", delayMillis);
    document.put("attemptsRemaining", attemptsRemaining);
    return Json.write(document);
  }
}
