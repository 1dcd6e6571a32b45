package dev.holdfast.retry;

import dev.holdfast.failure.Category;
import java.util.Map;

/**
 * What a ticket has behind it when it fails, not counting this failure unless said.
 *
 * @param retryCount retries used, of all categories
 * @param retryCounts retries used by category
 * @param sameErrorCount failures in a row with this failure's fingerprint, this one included
 * @param crashCount expired leases since the last release, this one included if it is one
 */
public record RetryHistory(
    int retryCount, Map<Category, Integer> retryCounts, int sameErrorCount, int crashCount) {
  public RetryHistory {
    retryCounts = Map.copyOf(retryCounts);
  }

  public static RetryHistory ofRetryCount(int retryCount) {
    return new RetryHistory(retryCount, Map.of(), 1, 0);
  }

  int used(Category category, Counting counting) {
    return switch (counting) {
      case SHARED -> retryCount;
      case PER_CATEGORY -> retryCounts.getOrDefault(category, 0);
    };
  }
}
