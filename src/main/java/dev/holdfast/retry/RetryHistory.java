package dev.holdfast.retry;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a ticket's retries, equal errors and crashes, without this failure unless it is
 * said.
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

  /**
   * Counts one more attempt that did not succeed.
   *
   * @param lastFingerprint the fingerprint of the ticket's failure before this one; null for none
   */
  public RetryHistory with(
      Failure failure, AttemptOutcome outcome, @Nullable String lastFingerprint) {
    return new RetryHistory(
        retryCount,
        retryCounts,
        failure.fingerprint().equals(lastFingerprint) ? sameErrorCount + 1 : 1,
        outcome == AttemptOutcome.CRASHED ? crashCount + 1 : crashCount);
  }

  /** Counts one more retry; a count may have been set by hand to anything. */
  RetryHistory withRetry(Category category) {
    Map<Category, Integer> counts = new EnumMap<>(Category.class);
    counts.putAll(retryCounts);
    counts.merge(category, 1, Integer::sum);
    int retries = retryCount == Integer.MAX_VALUE ? retryCount : retryCount + 1;
    return new RetryHistory(retries, counts, sameErrorCount, crashCount);
  }

  int used(Category category, Counting counting) {
    return switch (counting) {
      case SHARED -> retryCount;
      case PER_CATEGORY -> retryCounts.getOrDefault(category, 0);
    };
  }
}
