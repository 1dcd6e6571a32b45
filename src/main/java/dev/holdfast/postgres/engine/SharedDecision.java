package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.postgres.Json;
import dev.holdfast.retry.AttemptOutcome;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.retry.RetryHistory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a decision that is equal for tickets that were claimed together and fail in one
 * category: the counts to be stored, and the documents that go into the row and the log. It is
 * written and sent once for all of them; their errors may differ.
 *
 * @param counts the ticket's counts after the decision
 * @param currentAttempt the number of retries before it, plus one (A61)
 * @param ofRetry whether the failed execution was a retry, as {@code ClaimedTicket.isRetry}
 * @param attemptsRemaining the number of retries that were left before it (A22)
 */
record SharedDecision(
    long leaseNo,
    AttemptOutcome attemptOutcome,
    Category category,
    CategoryPolicy strategy,
    long delayMillis,
    int attemptsRemaining,
    RetryDecision.@Nullable Hold hold,
    long currentAttempt,
    boolean ofRetry,
    RetryHistory counts) {

  String outcome() {
    return attemptOutcome.wireName();
  }

  @Nullable String holdReason() {
    return hold == null ? null : hold.reason();
  }

  String countsJson() {
    Map<String, Integer> byCategory = new TreeMap<>();
    counts.retryCounts().forEach((each, count) -> byCategory.put(each.wireName(), count));
    return Json.write(byCategory);
  }

  /** Returns the decision as {@code tickets.retry_strategy} stores it (A32). */
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
