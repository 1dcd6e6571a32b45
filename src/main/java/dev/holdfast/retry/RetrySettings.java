package dev.holdfast.retry;

import dev.holdfast.failure.Category;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The policy as data: configuration, with the overrides of queue, design and ticket laid over it.
 *
 * @param categories a policy for every category
 * @param maxDelay caps backoff and Retry-After alike, from 0 to 365 days; jitter comes on top, so
 *     that capped tickets spread too
 * @param jitter the largest part of the delay that is added at random, 0 to 1; 0 switches it off
 * @param sameErrorLimit attempts in a row with one fingerprint that hold a ticket although retries
 *     remain; 0 is off
 * @param crashLimit expired leases since the last release that hold a ticket although retries
 *     remain; 0 is off
 */
public record RetrySettings(
    Map<Category, CategoryPolicy> categories,
    Duration maxDelay,
    double jitter,
    int sameErrorLimit,
    int crashLimit,
    Counting counting) {

  /** The longest delay: near enough that the database can count it from now. */
  private static final Duration LONGEST = Duration.ofDays(365);

  public RetrySettings {
    if (!categories.keySet().containsAll(java.util.List.of(Category.values()))) {
      throw new IllegalArgumentException("every category needs a policy");
    }
    if (maxDelay.isNegative() || maxDelay.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("max delay must be from 0 to 365 days: " + maxDelay);
    }
    if (jitter < 0 || jitter > 1) {
      throw new IllegalArgumentException("jitter must be from 0 to 1: " + jitter);
    }
    categories = Map.copyOf(categories);
  }

  /** Returns the defaults of A14, A15 and A18. */
  public static RetrySettings defaults() {
    Map<Category, CategoryPolicy> categories = new EnumMap<>(Category.class);
    categories.put(Category.TRANSIENT, policy(3, BackoffType.EXPONENTIAL, 30));
    categories.put(Category.API_ERROR, policy(2, BackoffType.LINEAR, 15));
    categories.put(Category.CODE_ERROR, policy(1, BackoffType.NONE, 0));
    categories.put(Category.SYSTEM_ERROR, policy(2, BackoffType.EXPONENTIAL, 10));
    categories.put(Category.UNKNOWN, policy(1, BackoffType.LINEAR, 15));
    return new RetrySettings(categories, Duration.ofMinutes(15), 0.1, 3, 3, Counting.SHARED);
  }

  private static CategoryPolicy policy(int maxRetries, BackoffType type, int baseSeconds) {
    return new CategoryPolicy(maxRetries, new Backoff(type, Duration.ofSeconds(baseSeconds)));
  }

  public CategoryPolicy of(Category category) {
    return java.util.Objects.requireNonNull(categories.get(category));
  }

  /** Returns these settings where the overrides say nothing, and the overrides elsewhere. */
  public RetrySettings with(RetryOverrides overrides) {
    if (overrides.isEmpty()) {
      return this;
    }
    Map<Category, CategoryPolicy> merged = new EnumMap<>(categories);
    overrides
        .categories()
        .forEach((category, override) -> merged.put(category, override.over(of(category))));
    return new RetrySettings(
        merged,
        overrides.maxDelay() == null ? maxDelay : overrides.maxDelay(),
        overrides.jitter() == null ? jitter : overrides.jitter(),
        overrides.sameErrorLimit() == null ? sameErrorLimit : overrides.sameErrorLimit(),
        overrides.crashLimit() == null ? crashLimit : overrides.crashLimit(),
        overrides.counting() == null ? counting : overrides.counting());
  }
}
