package dev.holdfast.retry;

/**
 * The retry settings for failures of one category.
 *
 * @param maxRetries retries after the first execution, so a ticket runs at most {@code maxRetries +
 *     1} times (A16, T1)
 */
public record CategoryPolicy(int maxRetries, Backoff backoff) {
  public CategoryPolicy {
    if (maxRetries < 0) {
      throw new IllegalArgumentException("max retries must not be negative: " + maxRetries);
    }
  }
}
