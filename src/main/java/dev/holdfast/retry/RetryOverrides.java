package dev.holdfast.retry;

import dev.holdfast.failure.Category;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A part of the retry settings, from a queue, a design or a ticket ({@code retry_strategy}); null
 * where it says nothing.
 */
public record RetryOverrides(
    Map<Category, CategoryOverride> categories,
    @Nullable Duration maxDelay,
    @Nullable Double jitter,
    @Nullable Integer sameErrorLimit,
    @Nullable Integer crashLimit,
    @Nullable Counting counting) {

  public static final RetryOverrides NONE =
      new RetryOverrides(Map.of(), null, null, null, null, null);

  public RetryOverrides {
    categories = Map.copyOf(categories);
  }

  boolean isEmpty() {
    return equals(NONE);
  }
}
